import path from 'node:path';
import type { SideEffectKind, ToolCall } from '../../../shared/model.ts';
import { fields, text } from './dsh-event.ts';

/** File tools of DSH: they name the path they write (formats/dsh.md, recall step by step). */
const FILE_TOOLS = new Set(['write', 'edit', 'str_replace_editor']);
const READ_TOOLS = new Set(['read', 'glob', 'grep', 'ls', 'list', 'todo_write', 'todo', 'create_goal', 'update_goal', 'view']);

/** Does this call write a file that it names? `str_replace_editor` only looks when its command is `view`. */
export function isFileTool(name: string, input: Readonly<Record<string, unknown>>): boolean {
  return FILE_TOOLS.has(name) && !(name === 'str_replace_editor' && input['command'] === 'view');
}

function sideEffectOf(name: string): SideEffectKind | null {
  if (/^(bash|pwsh|shell|powershell|exec)/.test(name)) return 'shell';
  if (/^(web|fetch|http)/.test(name)) return 'network';
  if (name.startsWith('mcp')) return 'mcp';
  if (/^(subagent|agent|task|team)/.test(name)) return 'subagent';
  return FILE_TOOLS.has(name) || READ_TOOLS.has(name) ? null : 'other';
}

/** The arguments of a call, which the log keeps as the model's own JSON text; nothing when they are no object. */
export function inputOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return fields(JSON.parse(json));
  } catch {
    return {};
  }
}

/** Path below the workspace as a tree path; null when it lies outside. */
export function insideWorkspace(cwd: string | null, file: string): string | null {
  if (cwd === null) return null;
  const relative = path.posix.relative(cwd, path.posix.resolve(cwd, file));
  return relative === '' || relative.startsWith('../') || relative === '..' ? null : relative;
}

/** What is known of one call from its name and arguments. */
export function describeCall(name: string, json: string, cwd: string | null): Pick<ToolCall, 'name' | 'summary' | 'sideEffect' | 'wrote'> {
  const input = inputOf(json);
  const file = text(input['file_path']) ?? text(input['path']);
  const summary = text(input['command']) ?? file ?? text(input['url']) ?? text(input['query']) ?? json;
  const sideEffect = sideEffectOf(name);
  const own = file === null || !isFileTool(name, input) ? null : insideWorkspace(cwd, file);
  const wrote = sideEffect === null ? (own === null ? [] : [own]) : sideEffect === 'network' ? [] : null;
  return { name, summary: summary.replace(/\s+/g, ' ').slice(0, 200), sideEffect, wrote };
}

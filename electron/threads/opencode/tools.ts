import type { SideEffectKind } from '../../../shared/model.ts';
import { asList, asName, asRecord, type Loose } from '../loose.ts';
import { ownText } from '../own-text.ts';

/** What a kind of tool does besides answering. */
interface ToolKind {
  sideEffect: SideEffectKind | null;
  /** `claims`: it names the files that it writes; `none`: it writes none; `unknown`: it may write anything. */
  writes: 'claims' | 'none' | 'unknown';
}

const READS: ToolKind = { sideEffect: null, writes: 'none' };
const WRITES: ToolKind = { sideEffect: null, writes: 'claims' };
const SHELL: ToolKind = { sideEffect: 'shell', writes: 'unknown' };
const NETWORK: ToolKind = { sideEffect: 'network', writes: 'none' };
const SUBAGENT: ToolKind = { sideEffect: 'subagent', writes: 'unknown' };

/** OpenCode's own tools, classic and new runtime (formats/opencode 1.3 and 1.7). */
const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ...['read', 'list', 'ls', 'glob', 'grep', 'lsp', 'skill', 'todoread', 'todowrite', 'question', 'invalid', 'plan_enter', 'plan_exit'].map(
    (name): [string, ToolKind] => [name, READS],
  ),
  ...['write', 'edit', 'multiedit', 'patch', 'apply_patch'].map((name): [string, ToolKind] => [name, WRITES]),
  ...['bash', 'shell'].map((name): [string, ToolKind] => [name, SHELL]),
  ...['webfetch', 'websearch', 'codesearch'].map((name): [string, ToolKind] => [name, NETWORK]),
  ['task', SUBAGENT],
]);

/** What a tool does, by its name. A tool of an MCP server is called `<server>_<tool>`; any other name is a plugin's. */
export function toolKind(name: string): ToolKind {
  return KINDS.get(name) ?? { sideEffect: name.includes('_') ? 'mcp' : 'other', writes: 'unknown' };
}

/** Paths as a file tool names them (absolute, or relative to the session's folder). */
export function claimedPaths(name: string, input: Loose, metadata: Loose): string[] {
  if (name !== 'patch' && name !== 'apply_patch') {
    const path = asName(input['filePath']) ?? asName(input['path']);
    return path === null ? [] : [path];
  }
  const files = asList(metadata['files']).flatMap((file) => {
    const { filePath, movePath } = asRecord(file) ?? {};
    return [asName(filePath), asName(movePath)].filter((path) => path !== null);
  });
  return files.length > 0 ? files : patchedPaths(asName(input['patchText']) ?? '');
}

/** The files that an `apply_patch` text names in its headers. */
function patchedPaths(text: string): string[] {
  const paths: string[] = [];
  for (const line of text.split('\n')) {
    const named = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/.exec(line)?.[1];
    if (named) paths.push(ownText(named.trim()));
  }
  return paths;
}

/** The one thing to show of a call: a command, a path, or null for "its arguments". */
export function subjectOf(name: string, input: Loose): { kind: 'text' | 'path'; text: string } | null {
  const command = asName(input['command']);
  if ((name === 'bash' || name === 'shell') && command !== null) return { kind: 'text', text: command };
  if (name === 'task') {
    const said = asName(input['description']) ?? asName(input['prompt']);
    return said === null ? null : { kind: 'text', text: said };
  }
  const address = asName(input['url']) ?? asName(input['query']);
  if (toolKind(name).sideEffect === 'network' && address !== null) return { kind: 'text', text: address };
  const path = asName(input['filePath']) ?? asName(input['path']);
  if (KINDS.has(name) && path !== null) return { kind: 'path', text: path };
  const pattern = asName(input['pattern']);
  return KINDS.has(name) && pattern !== null ? { kind: 'text', text: pattern } : null;
}

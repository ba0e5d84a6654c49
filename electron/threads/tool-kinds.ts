import path from 'node:path';
import type { SideEffectKind } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { ownText } from './own-text.ts';

/** What a tool call may have done, as far as its name and arguments tell. */
export interface ToolEffect {
  /** What no revert reaches; null for a tool that only touches files of the workspace or only reads. */
  sideEffect: SideEffectKind | null;
  /** Tree paths it says it writes; null for a tool that does not say; empty for one that writes nothing. */
  wrote: TreePath[] | null;
  /** One line: the command, the path, or the arguments, at most 200 characters. */
  summary: string;
}

type Arguments = Readonly<Record<string, unknown>>;

const SUMMARY = 200;
const MOST_PATHS = 1000;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const WRITERS = words(
  'write write_file edit edit_file create create_file update_file str_replace str_replace_editor str_replace_based_edit_tool multi_edit multiedit ' +
    'patch apply_patch apply_diff insert insert_text delete delete_file remove_file move_file rename_file copy_file notebook_edit',
);
const READERS = words(
  'read read_file read_files read_many_files view view_file cat ls list list_dir list_files list_directory glob grep search search_files find find_files ' +
    'ripgrep rg codebase_search lsp diagnostics todo todo_write todo_read todowrite todoread update_plan plan think ask ask_user question ask_question ' +
    'ask_user_question skill skills invalid read_output job_output tool_search exit_plan_mode',
);
const SHELLS = words(
  'bash shell sh zsh fish cmd pwsh powershell exec exec_command execute_command run run_command run_shell_command run_terminal_cmd run_in_terminal ' +
    'terminal process local_shell container_exec',
);
const NETWORK = words('fetch curl download browser browse codesearch code_search open_url');
const AGENTS = words('agent task subagent sub_agent delegate dispatch_agent spawn_agent run_agent new_task');

const PLAIN_NAMES = new Map<string, string>();
const MOST_NAMES = 1000;

/** `applyPatch`, `apply-patch` and `ApplyPatch` are one tool: `apply_patch`. A thread calls few tools, many times. */
function plainName(name: string): string {
  const known = PLAIN_NAMES.get(name);
  if (known !== undefined) return known;
  const plain = name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .toLowerCase();
  if (PLAIN_NAMES.size < MOST_NAMES && name.length < 200) PLAIN_NAMES.set(name, plain);
  return plain;
}

function kindOf(name: string, args: Arguments): 'write' | 'read' | SideEffectKind {
  const plain = plainName(name);
  if (plain.startsWith('mcp')) return 'mcp';
  if (plain === 'str_replace_based_edit_tool' && args['command'] === 'view') return 'read';
  if (WRITERS.has(plain)) return 'write';
  if (READERS.has(plain)) return 'read';
  if (SHELLS.has(plain)) return 'shell';
  if (NETWORK.has(plain) || /^(web|http|fetch|browser)/.test(plain)) return 'network';
  if (AGENTS.has(plain) || /^(agent|subagent)_/.test(plain)) return 'subagent';
  return 'other';
}

/** The tree path for a path that a tool was given; null when it lies outside the workspace, undefined when that cannot be told. */
function treePathFor(given: string, root: string | null): TreePath | null | undefined {
  const windows = /^[A-Za-z]:[\\/]/.test(root ?? given);
  const flavour = windows ? path.win32 : path.posix;
  let relative = given;
  if (flavour.isAbsolute(given)) {
    if (root === null) return undefined;
    relative = flavour.relative(root, given);
    if (flavour.isAbsolute(relative)) return null;
  }
  const parts = flavour.normalize(relative).split(windows ? /[\\/]/ : '/');
  if (parts[0] === '..') return null;
  const clean = parts.filter((part) => part !== '' && part !== '.').join('/');
  // A name may be cut out of a whole patch.
  return clean === '' ? null : ownText(clean);
}

const PATH_KEYS = [
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'target_file',
  'notebook_path',
  'from',
  'to',
  'destination',
  'newPath',
];
const PATCH_KEYS = ['patch', 'patchText', 'patch_text', 'diff', 'input'];

function pathsInPatch(text: string): string[] {
  const found: string[] = [];
  const line = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |(?:---|\+\+\+) (?:[ab]\/)?)([^\t\r\n]+)/gm;
  for (const match of text.matchAll(line)) {
    const name = match[1]?.trim() ?? '';
    if (name !== '' && name !== '/dev/null') found.push(name);
    if (found.length >= MOST_PATHS) break;
  }
  return found;
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathsIn(args: Arguments): string[] {
  const found = PATH_KEYS.flatMap((key) => (typeof args[key] === 'string' && args[key] !== '' ? [args[key]] : []));
  for (const key of ['files', 'paths', 'edits']) {
    const list = args[key];
    for (const entry of Array.isArray(list) ? list.slice(0, MOST_PATHS) : []) {
      if (typeof entry === 'string' && key !== 'edits') found.push(entry);
      else if (isArguments(entry)) found.push(...PATH_KEYS.flatMap((name) => (typeof entry[name] === 'string' ? [entry[name]] : [])));
    }
  }
  if (found.length > 0) return found;
  return PATCH_KEYS.flatMap((key) => (typeof args[key] === 'string' ? pathsInPatch(args[key]) : []));
}

/** One line of at most 200 characters; line breaks are shown, not lost. */
function oneLine(text: string): string {
  if (text.length <= SUMMARY && !/[\s]{2}|[\r\n\t]|^ | $/.test(text)) return text;
  const line = text
    .slice(0, SUMMARY * 4)
    .trim()
    .replace(/\s*\r?\n\s*/g, ' ↵ ')
    .replace(/\s+/g, ' ');
  // Characters, not code units, so that no pair is cut in two; a copy, so that it does not keep a long text alive.
  const cut = line.length > SUMMARY ? `${Array.from(line.slice(0, SUMMARY)).slice(0, -1).join('')}…` : line;
  return ownText(cut);
}

const WORD_KEYS = ['command', 'cmd', 'script', 'url', 'query', 'prompt', 'description', 'pattern'];

function summaryOf(kind: string, args: Arguments, raw: string): string {
  const files = kind === 'write' || kind === 'read';
  for (const key of files ? [...PATH_KEYS, ...WORD_KEYS] : [...WORD_KEYS, ...PATH_KEYS]) {
    const value = args[key];
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value);
    if (key === 'command' && Array.isArray(value) && value.every((part) => typeof part === 'string')) return oneLine(value.join(' '));
  }
  const [first] = pathsIn(args);
  return first !== undefined ? oneLine(first) : oneLine(raw === '{}' ? '' : raw);
}

/**
 * What a call of the tool `name` does, judged by its name and its arguments (JSON text as the model wrote it). A file tool
 * that writes outside `root` is a side effect: no snapshot holds that file. Never throws.
 */
export function toolEffect(name: string, argumentText: string, root: string | null): ToolEffect {
  let args: Arguments = {};
  try {
    const parsed: unknown = JSON.parse(argumentText);
    if (isArguments(parsed)) args = parsed;
  } catch {
    // Arguments that a model cut off or garbled are shown as they are; they name no path.
  }
  const kind = kindOf(name, args);
  const summary = summaryOf(kind, args, argumentText);
  if (kind === 'read') return { sideEffect: null, wrote: [], summary };
  if (kind === 'network') return { sideEffect: 'network', wrote: [], summary };
  if (kind !== 'write') return { sideEffect: kind, wrote: null, summary };
  const paths = [...new Set(pathsIn(args).map((given) => treePathFor(given, root)))];
  if (paths.length === 0 || paths.includes(undefined)) return { sideEffect: null, wrote: null, summary };
  const inside = paths.filter((one): one is TreePath => typeof one === 'string');
  return { sideEffect: paths.includes(null) ? 'other' : null, wrote: inside, summary };
}

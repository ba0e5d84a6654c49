import type { SideEffectKind } from '../../../shared/model.ts';
import { asText, jsonOf } from '../loose.ts';
import { toolEffect } from '../tool-kinds.ts';
import type { Block } from './claude-record.ts';

/** A tool call as its announcement has it. */
export interface CallFacts {
  id: string;
  name: string;
  summary: string;
  sideEffect: SideEffectKind | null;
  wrote: string[] | null;
}

/** Tools of Claude Code that only look or only keep the agent's own books, besides those that any agent has. */
const QUIET = new Set(['BashOutput', 'TaskOutput', 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ListMcpResourcesTool', 'LSP']);

/** The facts of a `tool_use` block. Paths are given from `cwd`; those below `root` become tree paths. */
export function callFacts(block: Block, root: string | null, cwd: string | null): CallFacts {
  const name = asText(block['name']) ?? 'tool';
  const id = asText(block['id']) ?? '';
  const input = jsonOf(block['input'] ?? {}) ?? '';
  const effect = toolEffect(name, input, root ?? cwd);
  if (QUIET.has(name) || /^Task(?:Create|Get|List|Update|Stop)$/.test(name)) {
    return { id, name, summary: effect.summary, sideEffect: null, wrote: [] };
  }
  return { id, name, ...effect };
}

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isRefusal, reasonOf, TurnbackError } from '../../shared/errors.ts';
import { captureWorkspace } from '../snapshots/capture.ts';
import type { Git } from '../snapshots/git.ts';
import { appendMoment, type Moment } from '../snapshots/moments.ts';
import { openRecordedStore, pin, recordedIndex, recordedStore } from '../snapshots/store.ts';
import { whileUsing } from '../snapshots/use-gate.ts';

/** What Claude Code gives a hook on its standard input (formats/opencode-and-claude-code.md 2.5, common fields). */
const inputSchema = z.object({
  hook_event_name: z.string(),
  session_id: z.string(),
  cwd: z.string(),
  tool_name: z.string().optional(),
  tool_use_id: z.string().optional(),
  agent_id: z.string().optional(),
});

type Input = z.infer<typeof inputSchema>;

const EVENTS = {
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before',
  PostToolUse: 'after',
  PostToolUseFailure: 'after',
  Stop: 'end',
  SessionEnd: 'end',
} as const satisfies Record<string, Moment['event']>;

/** Tools that change no file: the workspace around them need not be looked at. */
const LOOKING =
  /^(?:Read|Glob|Grep|LS|LSP|WebFetch|WebSearch|NotebookRead|TodoWrite|Task(?:Get|List|Output)|BashOutput|AskUserQuestion|ExitPlanMode)$/;

/** The moment that an input is about; null when nothing is to be kept of it. A sub-agent's calls lie within the call that runs it. */
function momentOf(input: Input): Pick<Moment, 'event' | 'call'> | null {
  const event = Object.hasOwn(EVENTS, input.hook_event_name) ? EVENTS[input.hook_event_name as keyof typeof EVENTS] : null;
  if (event === null || input.agent_id !== undefined) return null;
  if (event !== 'before' && event !== 'after') return { event, call: null };
  if (input.tool_use_id === undefined || LOOKING.test(input.tool_name ?? '')) return null;
  return { event, call: input.tool_use_id };
}

export interface HookDeps {
  git: Git;
  ownData: string;
  /** The agent's project folder where its environment names it: `CLAUDE_PROJECT_DIR`. */
  project: string | undefined;
  now(): number;
}

/**
 * Keeps the workspace of a Claude Code session at the moment that one of its hooks tells about, in Turnback's own data folder, so
 * that what shell commands change can go back too. Gives the moment that was kept, null when the hook needs none. A workspace that
 * could not be captured is kept as a moment that says why; throws USAGE for an input that no hook gives.
 */
export async function recordHook(given: unknown, deps: HookDeps): Promise<Moment | null> {
  const parsed = inputSchema.safeParse(given);
  if (!parsed.success) throw new TurnbackError('USAGE', { what: 'This is not what a Claude Code hook gives on its standard input.' });
  const input = parsed.data;
  const about = momentOf(input);
  if (about === null) return null;
  const root = path.resolve(deps.project ?? input.cwd);
  const keep = async (kept: Pick<Moment, 'tree' | 'failed'>): Promise<Moment> => {
    const moment: Moment = { version: 1, at: deps.now(), ...about, root, ...kept };
    await appendMoment(deps.ownData, input.session_id, moment);
    return moment;
  };
  try {
    // Until the moment names what was kept, a sweep would take it for what nobody needs.
    return await whileUsing(recordedStore(deps.ownData, root), { doing: 'record', place: root }, async () =>
      keep(await capture(root, deps)),
    );
  } catch (error) {
    if (!isRefusal(error, 'LEASE_HELD')) throw error;
    return keep({ tree: null, failed: error.reason });
  }
}

async function capture(root: string, { git, ownData }: HookDeps): Promise<Pick<Moment, 'tree' | 'failed'>> {
  try {
    const real = await realpath(root);
    const store = await openRecordedStore({ git, ownData, root });
    const tree = await captureWorkspace(store, { root: real, indexFile: recordedIndex(store) });
    await pin(store, `recorded-${tree}`, tree);
    return { tree, failed: null };
  } catch (error) {
    return { tree: null, failed: reasonOf(error) };
  }
}

/** The part of Claude Code's settings that calls `command` at every moment that is kept. */
export function hookSettings(command: string): unknown {
  const hook = { matcher: '', hooks: [{ type: 'command', command }] };
  return { hooks: Object.fromEntries(Object.keys(EVENTS).map((event) => [event, [hook]])) };
}

import path from 'node:path';
import { reasonOf, TurnbackError } from '../../shared/errors.ts';
import { hookSettings, recordHook } from '../recorder/hooks.ts';
import { createGit } from '../snapshots/git.ts';
import { ownDataOf } from '../threads/places.ts';
import { EXIT, type Exit, type Session } from './session.ts';

/** No hook says more than this: the largest is a whole file in a tool's result. */
const MOST_BYTES = 64 << 20;

async function input(): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk as Uint8Array);
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new TurnbackError('USAGE', { what: 'The hook gave more than 64 MB.' });
    chunks.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new TurnbackError('USAGE', {
      what: `The standard input is no JSON (${error instanceof Error ? error.message : String(error)}).`,
    });
  }
}

/**
 * `turnback record claude-code`: called by a hook of the agent with JSON on the standard input. Says nothing on stdout, which the
 * agent would read. With `--settings` it prints what to add to the agent's settings instead.
 */
export async function record(session: Session): Promise<Exit> {
  const { args, print, json, say } = session;
  if (args.words[0] !== 'claude-code') throw new TurnbackError('USAGE', { what: 'turnback record takes claude-code.' });
  if (args.settings) {
    const settings = hookSettings(`${quoted(process.execPath)} ${quoted(path.resolve(process.argv[1] ?? ''))} record claude-code`);
    json(settings);
    print(`${JSON.stringify(settings, null, 2)}\n`);
    return EXIT.done;
  }
  if (process.stdin.isTTY) {
    throw new TurnbackError('USAGE', {
      what: 'This is called by a hook of Claude Code. `turnback record claude-code --settings` prints what to add to its settings.',
    });
  }
  try {
    const { gitPath } = await session.settings.get();
    const git = createGit({ chosen: () => gitPath });
    const project = process.env['CLAUDE_PROJECT_DIR'];
    const moment = await recordHook(await input(), { git, ownData: ownDataOf(process.env), project, now: Date.now });
    if (moment?.failed) say(`${moment.failed.message} [${moment.failed.code}]`);
    json(moment);
    return EXIT.done;
  } catch (thrown) {
    // Not the exit code of a wrong usage: to the agent, a hook that ends with 2 forbids what it was about to do.
    const { message, code } = reasonOf(thrown);
    say(`${message} [${code}]`);
    return EXIT.refused;
  }
}

const quoted = (word: string): string => (/^[\w/.:@-]+$/.test(word) ? word : `"${word.replace(/(["\\$`])/g, '\\$1')}"`);

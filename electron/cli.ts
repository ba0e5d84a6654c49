import { reason, reasonOf, speakToCommandLine, TurnbackError } from '../shared/errors.ts';
import { type Arguments, type CommandName, isCommand, readArguments } from './cli/arguments.ts';
import { bringBack } from './cli/bring-back.ts';
import { diff, patch } from './cli/changes.ts';
import { dshHostOf } from './cli/dsh-host.ts';
import { lines } from './cli/lines.ts';
import { show, threads } from './cli/look.ts';
import { doctor, noJson, sample } from './cli/places.ts';
import { plainBytes, plainText } from './cli/plain-text.ts';
import { purge } from './cli/purge.ts';
import { record } from './cli/record.ts';
import { recover } from './cli/recover.ts';
import { search } from './cli/search.ts';
import { EXIT, type Exit, type Session } from './cli/session.ts';
import { stillWorking } from './cli/still-working.ts';
import { history, preview, redo, restore, revert, takeBack, undo, unrevert } from './cli/travels.ts';
import { clean, forget } from './cli/upkeep.ts';
import { USAGE } from './cli/usage.ts';
import { openViewer } from './cli-launch.ts';
import { relaunchOnNewerNode } from './cli-relaunch.ts';
import { APP_VERSION } from './host/app-version.ts';
import { viaOf } from './host/command-words.ts';
import { Desk } from './host/desk.ts';
import { serve } from './host/serve.ts';
import { SettingsFile } from './host/settings.ts';
import { Upkeep } from './host/upkeep.ts';
import { createGit } from './snapshots/git.ts';
import { ownDataOf, placesOf } from './threads/places.ts';

const COMMANDS: Record<CommandName, (session: Session) => Promise<Exit>> = {
  open: async (session) => {
    noJson(session);
    await openViewer({ path: session.args.words[0] ?? null, sample: session.args.sample });
    return EXIT.done;
  },
  serve: async (session) => {
    noJson(session);
    await serve({ port: session.args.port, path: session.args.words[0] ?? null });
    return EXIT.done;
  },
  sample,
  threads,
  show,
  diff,
  patch,
  lines,
  preview,
  revert,
  'take-back': takeBack,
  unrevert,
  undo,
  redo,
  history,
  restore,
  'bring-back': bringBack,
  recover,
  purge,
  doctor,
  search,
  clean,
  forget,
  record,
};

/** These stay until they are ended, or speak to a program. */
const UNTIMED: ReadonlySet<string> = new Set(['open', 'serve', 'record']);

/** After these our own safety snapshots may be over the limits. */
const TRAVELS: ReadonlySet<string> = new Set(['revert', 'take-back', 'unrevert', 'undo', 'redo', 'restore', 'bring-back']);

async function run(args: Arguments): Promise<Exit> {
  if (args.command !== 'open' && args.command !== 'serve') speakToCommandLine();
  const ownData = ownDataOf(process.env);
  const settings = new SettingsFile(ownData);
  const { gitPath } = await settings.get();
  const git = createGit({ chosen: () => gitPath });
  const desk = new Desk({
    places: placesOf(process.env, args.home),
    ownData,
    git,
    emit: () => undefined,
    // Another home has its own threads, and this user's folders are not part of it.
    folders: async () => (args.home === undefined ? (await settings.get()).folders : []),
    via: viaOf(process.env),
  });
  const working = stillWorking(UNTIMED.has(args.command) ? { write: () => true } : process.stderr);
  const say = (text: string): void => {
    working.heard();
    process.stderr.write(`${plainText(text)}\n`);
  };
  const upkeep = new Upkeep({
    ownData,
    git,
    retention: async () => (await settings.get()).retention,
    report: ({ message, code }) => say(`${message} [${code}]`),
    delay: 0,
    apart: 24 * 3_600_000,
  });
  const session: Session = {
    desk,
    settings,
    upkeep,
    args,
    print: (text) => {
      if (args.json) return;
      working.heard();
      if (typeof text === 'string') process.stdout.write(plainText(text));
      else process.stdout.write(process.stdout.isTTY ? plainBytes(text) : text);
    },
    json: (value) => {
      if (!args.json) return;
      working.heard();
      process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    say,
    progress: (text) => {
      if (args.json || !process.stderr.isTTY) return;
      working.heard();
      process.stderr.write(text);
    },
  };
  try {
    if (!isCommand(args.command)) return EXIT.usage;
    const exit = await COMMANDS[args.command](session);
    if (TRAVELS.has(args.command)) await upkeep.soon();
    return exit;
  } finally {
    working.stop();
    await upkeep.dispose();
    await desk.dispose();
  }
}

async function main(argv: readonly string[]): Promise<Exit> {
  const json = argv.includes('--json');
  try {
    const args = readArguments(argv);
    if (args.help) {
      process.stdout.write(USAGE);
      return EXIT.done;
    }
    if (args.version) {
      process.stdout.write(`${APP_VERSION}\n`);
      return EXIT.done;
    }
    Object.assign(process.env, await dshHostOf(args), args.via === null ? {} : { TURNBACK_VIA: args.via });
    return await run(args);
  } catch (thrown) {
    const usage = thrown instanceof TurnbackError && thrown.code === 'USAGE';
    const why = usage ? reason('USAGE', { what: thrown.message }) : reasonOf(thrown);
    if (json) process.stdout.write(`${JSON.stringify({ error: why })}\n`);
    process.stderr.write(plainText(usage ? `${why.message} (turnback --help)\n` : `${why.message} [${why.code}]\n`));
    return usage ? EXIT.usage : EXIT.refused;
  }
}

let unheard = false;
// A reader that closes early (`| head`) ends the output, not the work. A disk that is full does neither, but has to be told.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || unheard) return;
  unheard = true;
  process.exitCode = EXIT.refused;
  const { message, code } = reason('OUTPUT_FAILED', { cause: error.message });
  process.stderr.write(plainText(`${message} [${code}]\n`));
});
// Where messages for people cannot be written, nobody can be told that.
process.stderr.on('error', () => {});

const relaunched = relaunchOnNewerNode(process.argv.slice(2));
if (relaunched !== null) process.exitCode = relaunched;
else {
  void main(process.argv.slice(2)).then((exit) => {
    if (!unheard) process.exitCode = exit;
  });
}

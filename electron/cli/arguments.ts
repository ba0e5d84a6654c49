import { parseArgs } from 'node:util';
import { TurnbackError } from '../../shared/errors.ts';
import type { DriftPolicy, Scope } from '../../shared/plan.ts';

/** A command line, taken apart. */
export interface Arguments {
  command: string;
  /** What stands after the command. */
  words: string[];
  json: boolean;
  help: boolean;
  version: boolean;
  home: string | undefined;
  root: string | null;
  data: string | null;
  /** The command that reaches the side where the thread's files are, as one text. */
  via: string | null;
  /** Null where none was named: what that means depends on the thread. */
  scope: Scope | null;
  drift: DriftPolicy;
  restoreFiles: boolean;
  to: string | null;
  /** When to look at the lines of a file; null: now. */
  at: string | null;
  /** Number of one change in a file, from 1. */
  hunk: number | null;
  finish: boolean;
  rollBack: boolean;
  output: string | null;
  /** The thread that is searched; null: all of them. */
  thread: string | null;
  port: number;
  sample: boolean;
  yes: boolean;
  /** `patch`, `diff`: files that leave with the secrets in them, and all of them. */
  include: string[];
  withSecrets: boolean;
  /** `clean`: only say what would go. */
  dryRun: boolean;
  /** `forget`: also while a revert stands. */
  evenStanding: boolean;
  /** Travels: also while another thread's agent works in the folder. */
  evenBusy: boolean;
  /** `record`: print what to add to the agent's settings. */
  settings: boolean;
  /** Address of a running DSH web host, and the file that holds its token. */
  dshUrl: string | null;
  dshTokenFile: string | null;
}

/** The commands and how many words each takes: least and most. */
export const COMMANDS = {
  open: [0, 1],
  serve: [0, 1],
  sample: [1, 1],
  threads: [0, 0],
  show: [1, 1],
  diff: [2, 2],
  patch: [2, 2],
  lines: [2, 2],
  preview: [2, 2],
  revert: [2, 2],
  'take-back': [2, 2],
  unrevert: [1, 1],
  undo: [1, 1],
  redo: [1, 1],
  history: [1, 1],
  restore: [2, 2],
  'bring-back': [3, 3],
  recover: [0, 1],
  purge: [1, 1],
  doctor: [1, 1],
  search: [1, 1],
  clean: [0, 0],
  forget: [1, 1],
  record: [1, 1],
} as const satisfies Record<string, readonly [number, number]>;

export type CommandName = keyof typeof COMMANDS;

export const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);

function oneOf<T extends string, O>(name: string, value: string | undefined, allowed: readonly T[], otherwise: O): T | O {
  if (value === undefined) return otherwise;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new TurnbackError('USAGE', { what: `--${name} takes ${allowed.join(', ')}, not ${value}.` });
  return found;
}

function hunkOf(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new TurnbackError('USAGE', { what: `--hunk takes the number of a change, from 1, not ${value}.` });
  return Number(value);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
        home: { type: 'string' },
        root: { type: 'string' },
        data: { type: 'string' },
        via: { type: 'string' },
        scope: { type: 'string' },
        drift: { type: 'string' },
        'restore-files': { type: 'boolean', default: false },
        to: { type: 'string' },
        at: { type: 'string' },
        hunk: { type: 'string' },
        finish: { type: 'boolean', default: false },
        'roll-back': { type: 'boolean', default: false },
        output: { type: 'string', short: 'o' },
        thread: { type: 'string' },
        port: { type: 'string' },
        sample: { type: 'boolean', default: false },
        'dsh-url': { type: 'string' },
        'dsh-token-file': { type: 'string' },
        'dsh-token': { type: 'string' },
        yes: { type: 'boolean', default: false },
        include: { type: 'string', multiple: true, default: [] },
        'with-secrets': { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        'even-standing': { type: 'boolean', default: false },
        'even-busy': { type: 'boolean', default: false },
        settings: { type: 'boolean', default: false },
      },
    });
  } catch (thrown) {
    throw new TurnbackError('USAGE', { what: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

/** A variable of the shell that is not set names nothing: taken as a path it would be the folder that the shell stands in. */
function mustSaySomething(command: CommandName, words: readonly string[], values: Readonly<Record<string, unknown>>): void {
  const option = Object.entries(values).find(([, value]) => value === '' || (Array.isArray(value) && value.includes('')));
  if (option !== undefined) throw new TurnbackError('USAGE', { what: `--${option[0]} needs a value, and this one is empty.` });
  if (words.includes('')) throw new TurnbackError('USAGE', { what: `turnback ${command} was given an empty argument.` });
}

/** Takes a command line apart; throws USAGE with what is wrong. A first word that is no command is a path to open. */
export function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parse(argv);
  const first = positionals[0];
  const named = first !== undefined && isCommand(first);
  const command = named ? first : 'open';
  const words = named ? positionals.slice(1) : positionals;
  const [least, most] = COMMANDS[command];
  if (!values.help && !values.version) {
    if (words.length < least)
      throw new TurnbackError('USAGE', { what: `turnback ${command} needs ${least} argument${least > 1 ? 's' : ''}.` });
    if (words.length > most) throw new TurnbackError('USAGE', { what: `turnback ${command} does not take ${words[most]}.` });
  }
  mustSaySomething(command, words, values);
  const port = values.port === undefined ? 0 : Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TurnbackError('USAGE', { what: `--port takes 0 to 65535, not ${values.port}.` });
  if (values.via?.trim() === '') throw new TurnbackError('USAGE', { what: '--via takes the command that reaches the other side.' });
  if (values['dsh-token'] !== undefined)
    throw new TurnbackError('USAGE', {
      what: 'A token on the command line can be read by every program here. Put it in TURNBACK_DSH_TOKEN, or in a file that --dsh-token-file names.',
    });
  if (values['restore-files'] && values.scope === 'messages')
    throw new TurnbackError('USAGE', { what: '--restore-files and --scope messages say opposite things. Leave one of them out.' });
  return {
    command,
    words,
    json: values.json,
    help: values.help,
    version: values.version,
    home: values.home,
    root: values.root ?? null,
    data: values.data ?? null,
    via: values.via ?? null,
    scope: oneOf('scope', values.scope, ['both', 'files', 'messages'] as const, null),
    drift: oneOf('drift', values.drift, ['merge', 'keep', 'overwrite', 'fail'] as const, 'merge'),
    restoreFiles: values['restore-files'],
    to: values.to ?? null,
    at: values.at ?? null,
    hunk: hunkOf(values.hunk),
    finish: values.finish,
    rollBack: values['roll-back'],
    output: values.output ?? null,
    thread: values.thread ?? null,
    port,
    sample: values.sample,
    yes: values.yes,
    include: values.include,
    withSecrets: values['with-secrets'],
    dryRun: values['dry-run'],
    evenStanding: values['even-standing'],
    evenBusy: values['even-busy'],
    settings: values.settings,
    dshUrl: values['dsh-url'] ?? null,
    dshTokenFile: values['dsh-token-file'] ?? null,
  };
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

interface StepRecord {
  type: 'tanstack/snapshots:step';
  from: string;
  to: string;
  files: string[];
}

interface TranscriptRecord {
  type: 'harness.transcript';
  keep: number;
  add: { role: string; content: unknown }[];
}

type LogRecord = StepRecord | TranscriptRecord | { type: 'another' };

/** The text of a message; parts other than text as JSON. */
const wordsOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

/** A file as it must be: its bytes and whether it is executable; null where there must be none. */
export type Truth = { bytes: Buffer; executable: boolean } | null;

/** What the sample's own log and snapshot repository say, read with nothing of ours: plain JSON lines and plain git. */
export class SampleTruth {
  readonly root: string;
  readonly log: string;
  readonly #gitDir: string;
  readonly #records: LogRecord[];
  readonly #steps: StepRecord[];

  /** The one sample that was made below `ownData`. */
  constructor(ownData: string) {
    const samples = path.join(ownData, 'samples');
    const [name = ''] = readdirSync(samples);
    const [repository = ''] = readdirSync(path.join(samples, name, 'snapshots'));
    this.root = path.join(samples, name, 'workspace');
    this.log = path.join(samples, name, 'save/sessions/lumen-login.jsonl');
    this.#gitDir = path.join(samples, name, 'snapshots', repository);
    this.#records = this.#read();
    this.#steps = this.#records.filter((record): record is StepRecord => record.type === 'tanstack/snapshots:step');
  }

  #read(): LogRecord[] {
    const lines = readFileSync(this.log, 'utf8').trimEnd().split('\n');
    return lines.flatMap((line) => JSON.parse(line) as LogRecord[]);
  }

  /** The types of the records that were added to the log since this was made. */
  typesAdded(): string[] {
    return this.#read()
      .slice(this.#records.length)
      .map(({ type }) => type);
  }

  #messages(): TranscriptRecord['add'] {
    let messages: TranscriptRecord['add'] = [];
    for (const record of this.#records)
      if (record.type === 'harness.transcript') messages = [...messages.slice(0, record.keep), ...record.add];
    return messages;
  }

  /** How many messages the conversation has, which is its last stop. */
  get last(): number {
    return this.#messages().length;
  }

  /** The stop just before the prompt with these words: after the message before it. */
  stopBefore(prompt: string): number {
    const at = this.#messages().findIndex(({ role, content }) => role === 'user' && wordsOf(content).includes(prompt));
    if (at < 1) throw new Error(`The sample has no prompt ${prompt}.`);
    return at;
  }

  /** The number of the first step after that prompt that changed files, from 0. */
  stepAfter(prompt: string): number {
    const at = this.#records.findIndex(
      (record) => record.type === 'harness.transcript' && record.add.some(({ content }) => wordsOf(content).includes(prompt)),
    );
    if (at < 0) throw new Error(`The sample has no prompt ${prompt}.`);
    return this.#records.slice(0, at).filter(({ type }) => type === 'tanstack/snapshots:step').length;
  }

  #git(...args: string[]): Buffer {
    const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    return execFileSync('git', ['--git-dir', this.#gitDir, ...args], { env, maxBuffer: 1 << 26 });
  }

  /** A file in a tree. */
  #inTree(tree: string, file: string): Truth {
    const [mode = '', , oid = ''] = this.#git('ls-tree', tree, '--', file).toString().split(/\s/);
    return oid === '' ? null : { bytes: this.#git('cat-file', 'blob', oid), executable: mode === '100755' };
  }

  /** Each path that steps from number `first` on changed (from 0, steps that changed files only), as it was before the first of them. */
  before(first: number): Map<string, Truth> {
    const truth = new Map<string, Truth>();
    for (const { from, files } of this.#steps.slice(first)) {
      for (const file of files) if (!truth.has(file)) truth.set(file, this.#inTree(from, file));
    }
    return new Map([...truth].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A file as the last step left it: what differs on disk, the user did. */
  left(file: string): Truth {
    return this.#inTree(this.step(this.steps - 1).to, file);
  }

  /** How many steps changed files. */
  get steps(): number {
    return this.#steps.length;
  }

  /** The files of one step: as they were before it, and after it. */
  step(number: number): { from: string; to: string; files: string[] } {
    const step = this.#steps[number];
    if (step === undefined) throw new Error(`The sample has no step ${number}.`);
    return step;
  }

  /** What is on disk. */
  onDisk(file: string): Truth {
    const full = path.join(this.root, file);
    return existsSync(full) ? { bytes: readFileSync(full), executable: (statSync(full).mode & 0o111) !== 0 } : null;
  }

  /** Writes a whole tree into an empty folder. */
  writeTree(tree: string, folder: string): void {
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['x', '-C', folder], { input: this.#git('-c', 'tar.umask=0022', 'archive', '--format=tar', tree) });
  }
}

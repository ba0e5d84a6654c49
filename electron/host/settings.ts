import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type Settings, settingsSchema } from '../../shared/contract.ts';

/** Settings of a user who changed none. */
export const DEFAULT_SETTINGS: Settings = {
  version: 1,
  theme: 'system',
  diffLayout: 'split',
  wrap: false,
  ignoreWhitespace: false,
  filesAs: 'tree',
  recent: [],
};

const MOST_RECENT = 20;

/** Every form the file ever had, newest first, each with the way to today's. */
const FORMS: readonly { schema: z.ZodType; upgrade: (value: never) => Settings }[] = [
  { schema: settingsSchema, upgrade: (value: Settings) => value },
];

const versioned = z.object({ version: z.number() });

type Read = { settings: Settings; state: 'good' | 'none' | 'damaged' | 'newer' };

function read(text: string): Read {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return { settings: DEFAULT_SETTINGS, state: 'damaged' };
  }
  for (const { schema, upgrade } of FORMS) {
    const parsed = schema.safeParse(raw);
    if (parsed.success) return { settings: upgrade(parsed.data as never), state: 'good' };
  }
  const version = versioned.safeParse(raw);
  const newer = version.success && version.data.version > DEFAULT_SETTINGS.version;
  return { settings: DEFAULT_SETTINGS, state: newer ? 'newer' : 'damaged' };
}

/**
 * The settings in `settings.json` of our data folder. A damaged file is put aside and defaults are used; one that a newer
 * Turnback wrote is left alone, and changes then last until the end of the process.
 */
export class SettingsFile {
  readonly #file: string;
  #now: Read | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(ownData: string) {
    this.#file = path.join(ownData, 'settings.json');
  }

  async #read(): Promise<Read> {
    if (this.#now) return this.#now;
    let text: string;
    try {
      text = await readFile(this.#file, 'utf8');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
      this.#now ??= { settings: DEFAULT_SETTINGS, state: 'none' };
      return this.#now;
    }
    this.#now ??= read(text);
    return this.#now;
  }

  async get(): Promise<Settings> {
    return (await this.#read()).settings;
  }

  /** Changes some settings and resolves with all of them once they are on disk. */
  async set(change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings> {
    const before = await this.#read();
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const settings: Settings = { ...before.settings, ...given, version: 1 };
    settings.recent = [...new Set(settings.recent)].slice(0, MOST_RECENT);
    this.#now = { settings, state: before.state === 'newer' ? 'newer' : 'good' };
    if (before.state === 'newer') return settings;
    // One write after the other, so that the last change is the one that stays.
    const writing = this.#writing.catch(() => undefined).then(() => this.#write(settings, before.state === 'damaged'));
    this.#writing = writing;
    await writing;
    return settings;
  }

  async #write(settings: Settings, aside: boolean): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const temp = `${this.#file}.${randomBytes(6).toString('hex')}`;
    const handle = await open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(settings, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (aside) await rename(this.#file, `${this.#file}.damaged-${Date.now()}`);
    await rename(temp, this.#file);
  }
}

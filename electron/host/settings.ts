import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type Settings, settingsSchema } from '../../shared/contract.ts';
import { DEFAULT_SETTINGS } from '../../shared/default-settings.ts';
import { type Reason, reason } from '../../shared/errors.ts';
import { syncFolder } from '../snapshots/durable.ts';

const MOST_RECENT = 20;

const versioned = z.looseObject({ version: z.number() });

type Read = { settings: Settings; state: 'good' | 'none' | 'damaged' | 'newer'; cause: string };

/** The settings that a text holds. A setting that it does not name has its default, so that a newer Turnback may add some. */
function read(text: string): Read {
  const damaged = (cause: string): Read => ({ settings: DEFAULT_SETTINGS, state: 'damaged', cause });
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return damaged('it is not JSON');
  }
  const version = versioned.safeParse(raw);
  if (!version.success) return damaged('it names no version');
  if (version.data.version > DEFAULT_SETTINGS.version) return { settings: DEFAULT_SETTINGS, state: 'newer', cause: '' };
  const parsed = settingsSchema.safeParse({ ...DEFAULT_SETTINGS, ...version.data });
  if (parsed.success) return { settings: parsed.data, state: 'good', cause: '' };
  const issue = parsed.error.issues[0];
  return damaged(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'another form'}`);
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
      const { code } = thrown as NodeJS.ErrnoException;
      const state = code === 'ENOENT' ? 'none' : 'damaged';
      this.#now ??= { settings: DEFAULT_SETTINGS, state, cause: code ?? 'it cannot be read' };
      return this.#now;
    }
    this.#now ??= read(text);
    return this.#now;
  }

  async get(): Promise<Settings> {
    return (await this.#read()).settings;
  }

  /** Why the defaults are used although there is a file; null when the file was read, or there is none. */
  async notice(): Promise<Reason | null> {
    const { state, cause } = await this.#read();
    if (state === 'newer') return reason('SETTINGS_NEWER', { path: this.#file });
    return state === 'damaged' ? reason('SETTINGS_DAMAGED', { path: this.#file, cause }) : null;
  }

  /** Changes some settings and resolves with all of them once they are on disk. */
  async set(change: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<Settings> {
    const before = await this.#read();
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const settings: Settings = { ...before.settings, ...given, version: 1 };
    settings.recent = [...new Set(settings.recent)].slice(0, MOST_RECENT);
    this.#now = { settings, state: before.state === 'newer' ? 'newer' : 'good', cause: '' };
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
    await syncFolder(path.dirname(this.#file));
  }
}

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { sourceKindSchema } from '../../shared/model.ts';

const rememberedSchema = z.object({
  id: z.string(),
  source: sourceKindSchema,
  log: z.string(),
  threadId: z.string(),
  /** Workspace and snapshot folder that the user named for it. */
  root: z.string().nullable(),
  data: z.string().nullable(),
  /** What was counted when all of it was read, and the state of the log that it is true of. */
  counted: z.object({ mark: z.string(), turns: z.number(), files: z.number().nullable() }).nullable().default(null),
});
const fileSchema = z.object({ version: z.literal(1), threads: z.array(rememberedSchema) });

/** Where a thread was found, and what the user said about it. */
export type Remembered = z.infer<typeof rememberedSchema>;

/** How many threads are remembered: the newest ones; older ones are found again by listing. */
const LIMIT = 2000;

/** The threads that were opened before: `catalog.json` in our data folder. A file that cannot be read counts as empty. */
export class Memory {
  readonly #file: string;
  #threads: Remembered[] | null = null;

  constructor(ownData: string) {
    this.#file = path.join(ownData, 'catalog.json');
  }

  async all(): Promise<readonly Remembered[]> {
    if (this.#threads) return this.#threads;
    let text = '';
    try {
      text = await readFile(this.#file, 'utf8');
    } catch {
      this.#threads = [];
      return this.#threads;
    }
    // It only saves the user from naming folders again, so a damaged one is started afresh.
    const parsed = fileSchema.safeParse(parseJson(text));
    this.#threads = parsed.success ? parsed.data.threads : [];
    return this.#threads;
  }

  async of(id: string): Promise<Remembered | null> {
    return (await this.all()).find((thread) => thread.id === id) ?? null;
  }

  /** Remembers one thread, newest first; writes only when something is new. What was counted stays unless it is given. */
  async keep(thread: Omit<Remembered, 'counted'> & Partial<Pick<Remembered, 'counted'>>): Promise<void> {
    const known = await this.all();
    const [same] = known;
    const before = known.find((other) => other.id === thread.id);
    const next: Remembered = { ...thread, counted: thread.counted ?? before?.counted ?? null };
    if (same && JSON.stringify(same) === JSON.stringify(next)) return;
    await this.#write([next, ...known.filter((other) => other.id !== next.id)].slice(0, LIMIT));
  }

  /** Forgets one thread: where it was found and what the user named for it. */
  async forget(id: string): Promise<void> {
    // Another process may have remembered some meanwhile, or this very one.
    this.#threads = null;
    const known = await this.all();
    const left = known.filter((thread) => thread.id !== id);
    if (left.length < known.length) await this.#write(left);
  }

  async #write(threads: Remembered[]): Promise<void> {
    this.#threads = threads;
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const temp = `${this.#file}.${randomBytes(6).toString('hex')}`;
    const handle = await open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify({ version: 1, threads: this.#threads }));
    } finally {
      await handle.close();
    }
    await rename(temp, this.#file);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

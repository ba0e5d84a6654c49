import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { grows } from '../../electron/threads/growth.ts';
import { isBlankLine, type LogPlace, readLogBytes, readLogLines } from '../../electron/threads/log-lines.ts';
import type { OpenOptions, Places, Source, ThreadReader } from '../../electron/threads/source.ts';
import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { MessageBody, Thread, ThreadHead } from '../../shared/model.ts';
import { NeutralFold } from './neutral-fold.ts';

/** The part of a log that tells whose it is. */
const HEAD_BYTES = 4096;

async function headOf(log: string): Promise<ThreadHead | null> {
  const found = await stat(log);
  if (!found.isFile()) return null;
  const first =
    (await readLogBytes(log, 0, HEAD_BYTES))
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .split('\n')[0] ?? '';
  let record: { type?: unknown; cwd?: unknown; text?: unknown };
  try {
    record = JSON.parse(first);
  } catch {
    return null;
  }
  if (record.type !== 'user') return null;
  const threadId = path.basename(log, '.jsonl');
  const root = typeof record.cwd === 'string' ? await worktreeOf(record.cwd) : null;
  const title = typeof record.text === 'string' ? record.text : null;
  const head = { id: `opencode:${threadId}`, source: 'opencode' as const, title, root, log, threadId, parent: null };
  return { ...head, updatedAt: found.mtimeMs, size: found.size };
}

/** The trees of a neutral log cover the whole of the repository that the session's folder lies in, as OpenCode's do. */
async function worktreeOf(cwd: string): Promise<string> {
  const real = await realpath(cwd);
  for (let folder = real; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return folder;
  }
  return real;
}

class NeutralReader implements ThreadReader {
  readonly writer = null;
  readonly #head: ThreadHead;
  #fold = new NeutralFold();
  #place: LogPlace | null = null;
  #thread: Thread | null = null;
  #torn = 0;

  constructor(head: ThreadHead) {
    this.#head = head;
  }

  thread(): Thread {
    this.#thread ??= this.#fold.thread(this.#head, this.#notices());
    return this.#thread;
  }

  async read(signal?: AbortSignal): Promise<boolean> {
    let changed = this.#place === null;
    const growth = await readLogLines(
      this.#head.log,
      this.#place,
      (bytes, at) => {
        if (isBlankLine(bytes)) return;
        changed = true;
        this.#fold.line(bytes, { line: at.number, offset: at.offset + at.length - bytes.length, length: bytes.length });
      },
      {
        signal,
        onRestart: () => {
          changed = true;
          this.#fold = new NeutralFold();
        },
      },
    );
    this.#place = growth.place;
    const torn = growth.tail?.bytes.length ?? 0;
    changed ||= torn !== this.#torn;
    this.#torn = torn;
    if (changed) this.#thread = null;
    return changed;
  }

  #notices(): Reason[] {
    return this.#torn > 0 ? [reason('LOG_TORN', { bytes: this.#torn })] : [];
  }

  async body(id: string): Promise<MessageBody> {
    const spot = this.#fold.spots.get(id);
    if (spot === undefined) throw new TurnbackError('UNKNOWN_MESSAGE', { id });
    const raw = (await readLogBytes(this.#head.log, spot.offset, spot.length)).toString('utf8');
    if (id.startsWith('line:')) return { id, parts: [{ kind: 'raw', type: 'unreadable line', json: raw }] };
    const record = JSON.parse(raw) as { text?: string; note?: string; images?: string[] };
    const text = record.text ?? record.note;
    if (text === undefined) return { id, parts: [{ kind: 'raw', type: 'unknown', json: raw }] };
    const images = (record.images ?? []).map((url) => ({
      kind: 'image' as const,
      mediaType: 'image/png',
      data: url.replace(/^[^,]*,/, ''),
    }));
    return { id, parts: [{ kind: 'text', text }, ...images] };
  }

  watch(): string[] {
    return [this.#head.log];
  }

  objectFolders(): string[] {
    return [path.join(path.dirname(this.#head.log), 'snap.git', 'objects')];
  }

  async liveSign(): Promise<string | null> {
    return (await grows([this.#head.log])) ? 'the log is being written' : null;
  }

  async close(): Promise<void> {}
}

/** The folders in CASE_SESSIONS, a line each; `name=folder` gives session A of it that title. */
function knownFolders(env: Places['env']): { title: string | null; folder: string }[] {
  const lines = (env['CASE_SESSIONS'] ?? '').split('\n').filter(Boolean);
  return lines.map((line) => {
    const at = line.indexOf('=');
    return { title: at < 0 ? null : line.slice(0, at), folder: line.slice(at + 1) };
  });
}

function titled(head: ThreadHead, env: Places['env']): ThreadHead {
  const known = knownFolders(env).find(({ folder }) => path.join(folder, 'session-A.jsonl') === head.log);
  return { ...head, title: known?.title ?? head.title };
}

/** The log format of the hard cases as a kind of store: for tests only, given to the engine in place of the real ones. */
export const neutralSource: Source = {
  kind: 'opencode',
  async list({ env }) {
    const threads: ThreadHead[] = [];
    for (const { folder } of knownFolders(env)) {
      for (const name of (await readdir(folder)).filter((one) => /^session-\w+\.jsonl$/.test(one))) {
        const head = await headOf(path.join(folder, name));
        if (head) threads.push(titled(head, env));
      }
    }
    return { threads, problems: [] };
  },
  async locate(named, { env }) {
    const head = named.endsWith('.jsonl') ? await headOf(named) : null;
    return head === null ? [] : [titled(head, env)];
  },
  async open(head: ThreadHead, options: OpenOptions) {
    return new NeutralReader({ ...head, root: options.root ?? head.root });
  },
};

import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDshFile } from '../../electron/threads/dsh/dsh-file.ts';
import { framesOf } from '../../electron/threads/dsh/zstd-frames.ts';
import { LONGEST_LINE } from '../../electron/threads/log-lines.ts';
import { PartSpool } from '../../electron/threads/part-spool.ts';
import { record } from '../figures.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';
import { finish, makeDatabase, says, start, tree } from '../threads/opencode/make-database.ts';
import { dshLog, LARGE_LOGS, Prose, writeDshLog } from './large-logs.ts';

const MEGABYTE = 1_000_000;
/** What a process takes however small the log is: two chunks of four megabytes, pages of SQLite, and the room that V8 gives to what is young. */
const RUNTIME = 32 * MEGABYTE;
interface Opened {
  rows: number;
  body: number;
  stopped: string[];
  refused?: { code: string };
  /** The most memory that it took to open the log, less what the process had before. */
  bytes: number;
}

/** Opens the log in a process of its own that has opened a small one of the same kind before. */
function openAlone(small: string, large: string, folder: string): Opened {
  const child = path.join(import.meta.dirname, 'open-in-child.ts');
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', child, small, large, folder], { encoding: 'utf8' })) as Opened;
}

const times = (opened: Opened, bytes: number): string => (opened.bytes / bytes).toFixed(2);

/** The bytes that a packed log stands for: a reader has to look at all of them. */
async function unpackedSize(file: string): Promise<number> {
  let bytes = 0;
  for (const { content } of framesOf(await readFile(file))) bytes += content?.length ?? 0;
  return bytes;
}

describe.skipIf(process.platform !== 'linux')('memory', () => {
  test.each(Object.entries(LARGE_LOGS))('to open a large log of %s is at most twice its size', async (source, write) => {
    const packed = source === 'dsh zstd';
    const megabytes = size(packed ? 8 : 20, 100);
    const [folder, before] = [await tempFolder(), await tempFolder()];
    const log = await write(folder, megabytes * MEGABYTE);
    const opened = openAlone(await write(before, MEGABYTE / 10), log, folder);
    expect(opened.rows).toBeGreaterThan(1000);
    expect(opened.body).toBeGreaterThan(3000);
    const { size: bytes } = await stat(log);
    const figure = `memory to open a ${megabytes} MB ${source} log, times`;
    record('hostile input', `${figure} the file`, times(opened, bytes));
    const all = packed ? await unpackedSize(log) : bytes;
    if (packed) record('hostile input', `${figure} what it unpacks to`, times(opened, all));
    expect(opened.bytes).toBeLessThan(2 * all + RUNTIME);
  });

  test('a log of Claude Code that is full of the texts of files is not held for them', async () => {
    const [folder, before] = [await tempFolder(), await tempFolder()];
    const [made, prose] = [new MadeLog(folder), new Prose()];
    const megabytes = size(20, 100);
    made.prompt('p');
    // Each edit brings the whole file as it was.
    for (let at = 0; at < megabytes * 60; at += 1) {
      const text = prose.text(16_000);
      made.edit(`a${at}`, `src/file-${at % 40}.ts`, text, text.slice(0, 40), 'new');
    }
    await mkdir(path.dirname(made.log), { recursive: true });
    await writeFile(made.log, `${made.lines.join('\n')}\n`);
    const opened = openAlone(await (LARGE_LOGS['claude-code'] ?? expect.fail())(before, MEGABYTE / 10), made.log, folder);
    expect(opened.rows).toBe(megabytes * 60 + 1);
    const { size: bytes } = await stat(made.log);
    record('hostile input', `memory to open a ${megabytes} MB claude-code log of edits, times the file`, times(opened, bytes));
    // Each state of a file becomes an object: what it was compressed with waits to be collected, too.
    expect(opened.bytes).toBeLessThan(2 * bytes + 2 * RUNTIME);
  });

  const long = 'x'.repeat(50 * MEGABYTE);
  const LONG_LINES: Record<string, (folder: string) => Promise<string>> = {
    tanstack: async (folder) => {
      const file = await (LARGE_LOGS['tanstack'] ?? expect.fail())(folder, MEGABYTE / 10);
      const add = [{ id: 'long', role: 'assistant', content: long }];
      await appendFile(file, `${JSON.stringify([{ type: 'harness.transcript', keep: 0, add }])}\n`);
      return file;
    },
    dsh: async (folder) => {
      const file = dshLog(folder, false);
      const next = writeDshLog(file, MEGABYTE / 10, false);
      const message = { id: 'long', role: 'assistant', content: [{ type: 'text', text: long }] };
      await appendFile(
        file,
        `${JSON.stringify({ type: 'assistant/message', seq: next, time: 1, data: { message }, surfaceOp: 'append' })}\n`,
      );
      return file;
    },
    'claude-code': async (folder) => {
      const made = new MadeLog(folder);
      made.prompt('p');
      made.says('a', long);
      await mkdir(path.dirname(made.log), { recursive: true });
      await writeFile(made.log, `${made.lines.join('\n')}\n`);
      return made.log;
    },
    opencode: async (folder) => {
      const made = await makeDatabase(folder);
      made.session({ id: 'ses_1', directory: folder });
      made.turn('ses_1', 't1', 'p', [[start(tree('1')), says(long), finish(tree('2'))]]);
      made.db.exec('pragma wal_checkpoint(truncate)');
      made.db.close();
      return made.file;
    },
  };
  test.each(Object.entries(LONG_LINES))(
    'a text of 50 MB in a log of %s is there three times at most: its bytes, their text, and the text in it',
    async (source, write) => {
      const [folder, before] = [await tempFolder(), await tempFolder()];
      const log = await write(folder);
      const opened = openAlone(await (LARGE_LOGS[source] ?? expect.fail())(before, MEGABYTE / 10), log, folder);
      expect(opened.rows).toBeGreaterThan(1);
      const { size: bytes } = await stat(log);
      record('hostile input', `memory to open a ${source} log with a text of 50 MB, times the file`, times(opened, bytes));
      expect(opened.bytes).toBeLessThan(3 * bytes + 2 * RUNTIME);
    },
  );
});

describe('a packed log of a few kilobytes', () => {
  /** A frame that unpacks to four hundred megabytes of one byte. */
  async function bomb(byte: string): Promise<Buffer> {
    const piece = Buffer.alloc(1 << 20, byte);
    const parts: Buffer[] = [];
    const all = function* (): Generator<Buffer> {
      for (let times = 0; times < 400; times += 1) yield piece;
    };
    await pipeline(all, createZstdCompress(), async (packed: AsyncIterable<Buffer>) => {
      for await (const part of packed) parts.push(part);
    });
    return Buffer.concat(parts);
  }

  test.each([
    ['one line without an end', 'x', 'a line is too long to be read'],
    ['empty lines', '\n', 'the log unpacks to more than 268435456 bytes'],
  ])('that stands for 400 MB of %s is read up to there, within its memory', async (_, byte, why) => {
    const [folder, before] = [await tempFolder(), await tempFolder()];
    const [log, small] = [dshLog(folder, true), dshLog(before, true)];
    writeDshLog(small, 1000, true);
    writeDshLog(log, 1000, true);
    const { rows } = openAlone(small, small, before);
    await appendFile(log, await bomb(byte));
    const opened = openAlone(small, log, folder);
    expect([opened.rows, opened.refused]).toEqual([rows, undefined]);
    expect(opened.stopped).toContain('LOG_STOPPED');
    // The longest line, and as much of what it was unpacked from, until that is collected.
    expect(opened.bytes).toBeLessThan(2 * LONGEST_LINE + RUNTIME);
    const { log: read } = await readDshFile(log, true, { spool: new PartSpool(folder) });
    expect(read?.stopped?.why).toBe(why);
  });

  test('that unpacks to more than a log can hold ends there, and its frames before stay', async () => {
    const folder = await tempFolder();
    const log = dshLog(folder, true);
    writeDshLog(log, 1000, true);
    // Whole records, so that nothing but their number is wrong.
    const seq = (await readDshFile(log, true, { spool: new PartSpool(folder) })).log?.length ?? 0;
    const filler = ' '.repeat(32 << 20);
    for (let at = 0; at < 9; at += 1)
      await appendFile(log, zstdCompressSync(`{"type":"todo/write","seq":${seq + at},"time":1,"data":{}${filler}}\n`));
    const { log: read } = await readDshFile(log, true, { spool: new PartSpool(folder) });
    expect([read?.stopped?.why, read?.length]).toEqual(['the log unpacks to more than 268435456 bytes', seq + 7]);
  });
});

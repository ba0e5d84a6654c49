import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { jsonlLog, logIdOf } from '../../electron/recorder/log.ts';
import { LogFile } from '../../electron/recorder/log-file.ts';
import { tempFolder } from '../scenarios/temp.ts';

const note = (n: number) => ({ type: 'note', n });

test('one line is one batch, seq counts the records, an empty batch is a no-op', async () => {
  const folder = await tempFolder();
  const file = new LogFile(path.join(folder, 'x.jsonl'));
  expect(await file.read()).toEqual([]);
  expect(await file.append([note(1), note(2)])).toEqual([
    { seq: 1, record: note(1) },
    { seq: 2, record: note(2) },
  ]);
  expect(await file.append([])).toEqual([]);
  await file.append([{ ...note(3), gone: undefined }]);
  expect(await readFile(file.file, 'utf8')).toBe('[{"type":"note","n":1},{"type":"note","n":2}]\n[{"type":"note","n":3}]\n');
  expect(await new LogFile(file.file).read()).toEqual([1, 2, 3].map((n) => ({ seq: n, record: note(n) })));
});

test('an append goes only where the last read ended: the real file is asked, not a memory of it', async () => {
  const folder = await tempFolder();
  const [one, two] = [new LogFile(path.join(folder, 'x.jsonl')), new LogFile(path.join(folder, 'x.jsonl'))];
  await one.append([note(1)]);
  await expect(two.append([note(2)])).rejects.toMatchObject({ code: 'LOG_MOVED' });
  expect(await two.read()).toEqual([{ seq: 1, record: note(1) }]);
  expect(await two.append([note(2)])).toEqual([{ seq: 2, record: note(2) }]);
  expect(await one.read()).toEqual([{ seq: 2, record: note(2) }]);
  await writeFile(one.file, '');
  await expect(one.read()).rejects.toMatchObject({ code: 'LOG_MOVED' });
  await expect(one.append([note(3)])).rejects.toMatchObject({ code: 'LOG_MOVED' });
});

test('a torn last line is not read; mending cuts it, or ends it when it is whole', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x.jsonl');
  for (const [tail, kept] of [
    ['[{"type":"note","n":2}', 1],
    ['[{"type":"note","n":2}]', 2],
    ['nonsense\n', 1],
    ['', 1],
  ] as const) {
    await writeFile(file, `[${JSON.stringify(note(1))}]\n\n${tail}`);
    const log = new LogFile(file);
    expect((await log.read()).length).toBe(1);
    expect((await log.mend()).length).toBe(kept - 1);
    await log.append([note(9)]);
    expect((await new LogFile(file).read()).map(({ record }) => record['n'])).toEqual(kept === 2 ? [1, 2, 9] : [1, 9]);
  }
});

test('a bad line that is not the last, and a line that is no batch, are errors', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x.jsonl');
  await writeFile(file, `[${JSON.stringify(note(1))}]\n[{"type"\n[${JSON.stringify(note(2))}]\n`);
  await expect(new LogFile(file).read()).rejects.toMatchObject({ code: 'LOG_BAD_LINE' });
  await writeFile(file, '{"type":"note"}\n');
  await expect(new LogFile(file).read()).rejects.toMatchObject({ code: 'NOT_A_LOG' });
  await mkdir(path.join(folder, 'y.jsonl'));
  await expect(new LogFile(path.join(folder, 'y.jsonl')).read()).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
});

test('lone surrogates and separators survive the way through the file', async () => {
  const folder = await tempFolder();
  const file = new LogFile(path.join(folder, 'x.jsonl'));
  const record = { type: 'note', text: 'a\u2028b\u0000\udcff\n' };
  await file.append([record]);
  expect((await new LogFile(file.file).read())[0]?.record).toEqual(record);
});

test('log.read({ logId }) gives the entries, also while another process may write', async () => {
  const folder = await tempFolder();
  const store = jsonlLog({ folder });
  const logId = logIdOf({ tenantId: 'acme', logId: 'fix login' });
  const log = await store.open({ logId });
  await log.read();
  await log.append([note(1)]);
  await appendFile(log.path, '[{"ty');
  expect(await store.read({ logId })).toEqual([{ seq: 1, record: note(1) }]);
  expect(await store.read({ logId, after: 1 })).toEqual([]);
  expect(await store.read({ logId: 'none' })).toEqual([]);
  expect(path.relative(folder, log.path)).toBe('tenants/acme/sessions/fix%20login.jsonl');
  await log.close();
});

test('ids that cannot name a file are refused', async () => {
  const folder = await tempFolder();
  const store = jsonlLog({ folder });
  for (const logId of ['', 'x'.repeat(201), 'a\udc00']) await expect(store.open({ logId })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  expect(() => jsonlLog({ folder: 'relative' })).toThrow('absolute');
});

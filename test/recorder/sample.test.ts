import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { jsonlLog } from '../../electron/recorder/log.ts';
import { makeSample } from '../../electron/recorder/sample.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { sh } from './recording.ts';

test('the sample is a thread of six turns with real snapshots, the same each time, that can go back to before it broke', async () => {
  const folder = await tempFolder('sample-');
  const sample = await makeSample(path.join(folder, 'one'));
  expect(sample).toEqual({
    thread: 'tanstack:lumen-login',
    root: path.join(folder, 'one/workspace'),
    data: path.join(folder, 'one/snapshots'),
    log: path.join(folder, 'one/save/sessions/lumen-login.jsonl'),
  });
  const again = await makeSample(path.join(folder, 'two'));
  const text = async (made: typeof sample): Promise<string> =>
    (await readFile(made.log, 'utf8')).replaceAll(path.dirname(made.root), 'DIR').replace(/"repository":"[0-9a-f]*"/, '');
  expect(await text(again)).toBe(await text(sample));
  await expect(makeSample(path.join(folder, 'two'))).rejects.toMatchObject({ code: 'FILE_EXISTS' });

  const log = jsonlLog({ folder: path.join(folder, 'one/save') });
  const records = (await log.read({ logId: 'lumen-login' })).map(({ record }) => record);
  const of = (type: string) => records.filter((record) => record.type === type);
  expect(of('harness.input.settled').length).toBe(7);
  expect(of('tanstack/snapshots:step').length).toBeGreaterThanOrEqual(15);
  expect(of('harness.event').filter(({ event }) => JSON.stringify(event).includes('snapshots:failed'))).toEqual([]);
  expect(of('harness.tool.result').filter(({ message }) => (message as { error?: string }).error !== undefined).length).toBe(1);
  expect(JSON.stringify(records)).not.toContain('do-not-record-me');

  const session = await snapshots({ root: sample.root, dataDir: sample.data }).open({ threadId: 'lumen-login', log });
  for (const { from, to } of of('tanstack/snapshots:step')) {
    const { files } = await session.diff(String(from), String(to));
    expect(files.length).toBeGreaterThan(0);
    expect(files).not.toContain('.env');
  }
  expect(await sh(sample.root, 'sh scripts/check.sh || true')).toContain('4 checks failed');
  const before = (await session.transcript()).findLast(({ content }) => typeof content === 'string' && content.includes('All checks pass'));
  await session.revert({ messageId: before?.id ?? '' });
  expect(await sh(sample.root, 'sh scripts/check.sh')).toContain('all checks passed');
  await session.unrevert();
  expect(await sh(sample.root, 'git status --short src/ui')).toBe(' D src/ui/toast.js\n');
  await session.close();
});

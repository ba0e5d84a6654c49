import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import type { Thread } from '../../../shared/model.ts';
import { OPENCODE_STATES, type OpencodeState, readOpencodeDump } from '../../scenarios/opencode.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';
import { makeDatabase } from './make-database.ts';
import { openSample, openSession } from './open-sample.ts';
import { storageFromDump } from './storage-from-dump.ts';

interface Stored {
  home: string;
  data: string;
  storage: string;
  reader: ThreadReader;
}

const ID = 'ses_dd4a6c520ffey3D3BdvRcxQEKY';

/** A recorded state as the JSON tree, opened; the tree must be as it was when the test ends, unless the test itself writes. */
async function openStored(state: OpencodeState, options: { changes?: boolean } = {}): Promise<Stored> {
  const folder = await tempFolder();
  const home = path.join(folder, 'home');
  const data = path.join(home, '.local', 'share', 'opencode');
  const storage = await storageFromDump(data, await readOpencodeDump(folder, state));
  const before = await manifest(data, { mtimes: true });
  onTestFinished(async () => {
    if (options.changes) return;
    expect(await manifest(data, { mtimes: true })).toEqual(before);
  });
  return { home, data, storage, reader: await openSession(home, path.join(folder, 'own'), ID, null) };
}

/** What both layouts must agree on. */
const essence = (thread: Thread) => ({
  turns: thread.turns,
  steps: thread.steps,
  gaps: thread.gaps,
  standing: thread.standing,
  messages: thread.messages,
  notices: thread.notices,
});

test.each(OPENCODE_STATES.filter((state) => state !== 'after_revert_prompt'))(
  '%s reads the same from JSON as from the database',
  async (state) => {
    const fromJson = (await openStored(state)).reader;
    const fromDatabase = (await openSample(state)).reader;
    expect(essence(fromJson.thread())).toEqual(essence(fromDatabase.thread()));
    for (const { id } of fromDatabase.thread().messages) expect(await fromJson.body(id)).toEqual(await fromDatabase.body(id));
  },
);

describe('the JSON tree', () => {
  test('names the session file as its log, and its own folders to watch', async () => {
    const { reader, storage } = await openStored('t1');
    const { head } = reader.thread();
    expect(head).toMatchObject({ root: '/workspace/scratch-oc', title: 'Mock session title', size: null });
    expect(head.log).toBe(path.join(storage, 'session/b9241510eaebac83980f9c7b61fad64ff79eb8ad', `${ID}.json`));
    expect(reader.watch()).toContain(path.join(storage, 'message', ID));
  });

  test('parts whose message is gone belong to nothing', async () => {
    const { reader, storage } = await openStored('t2', { changes: true });
    const dropped = reader
      .thread()
      .messages.slice(5)
      .map((message) => message.id);
    for (const id of dropped) await rm(path.join(storage, 'message', ID, `${id}.json`));
    expect(await reader.read()).toBe(true);
    expect(reader.thread().messages.length).toBe(5);
    expect(reader.thread().turns.length).toBe(1);
    await expect(reader.body(dropped[0] ?? '')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('a file that cannot be read is a bad row; the rest is shown, and what was done is still known', async () => {
    const { reader, storage } = await openStored('t1', { changes: true });
    const [, first, second] = reader.thread().messages.map((message) => message.id);
    await writeFile(path.join(storage, 'message', ID, `${second}.json`), '{"role":"assist');
    await writeFile(path.join(storage, 'part', `${first}`, 'prt_zzz.json'), '[1,2]');
    await mkdir(path.join(storage, 'part', `${first}`, 'prt_zzzz.json'));
    expect(await reader.read()).toBe(true);
    const thread = reader.thread();
    expect(thread.bad.map((record) => record.why.replace(storage, ''))).toEqual([
      expect.stringContaining(`/message/${ID}/${second}.json: `),
      `/part/${first}/prt_zzz.json: it is not a JSON object`,
      `/part/${first}/prt_zzzz.json: it is not a file`,
    ]);
    expect(thread.messages.length).toBe(5);
    // Its parts tell that it was an answer, so its step keeps its place in the chain.
    expect(thread.steps.map((step) => step.to?.slice(0, 7))).toContain('43ff434');
    const raw = (await reader.body(`${first}`)).parts.filter((part) => part.kind === 'raw');
    expect(raw).toEqual([
      { kind: 'raw', type: 'unreadable', json: '' },
      { kind: 'raw', type: 'unreadable', json: '' },
    ]);
  });

  test('a change of one file is seen, nothing new is nothing', async () => {
    const { reader, storage } = await openStored('t1', { changes: true });
    expect(await reader.read()).toBe(false);
    expect(await reader.liveSign()).toBeNull();
    const id = reader.thread().messages[4]?.id ?? '';
    await writeFile(
      path.join(storage, 'part', id, 'prt_22b596b8f0016rhEPwSWuIex75.json'),
      JSON.stringify({ type: 'text', text: 'Changed.' }),
    );
    expect(await reader.read()).toBe(true);
    expect(reader.thread().messages[4]?.excerpt).toBe('Changed.');
    expect(await reader.liveSign()).toMatch(/^its store was written/);
  });

  test('the database wins where both hold a session; the rest is merged', async () => {
    const { home, data, storage } = await openStored('t1', { changes: true });
    const made = await makeDatabase(home);
    made.session({ id: ID, directory: '/workspace/scratch-oc', title: 'From the database' });
    made.db.close();
    await writeFile(
      path.join(storage, 'session/b9241510eaebac83980f9c7b61fad64ff79eb8ad/ses_only.json'),
      JSON.stringify({ id: 'ses_only', title: 'Only JSON', projectID: 'global', directory: '/x' }),
    );
    await writeFile(path.join(storage, 'session/b9241510eaebac83980f9c7b61fad64ff79eb8ad/ses_bad.json'), '{');
    const { threads, problems } = await opencode.list({ home, env: {} });
    expect(threads.map((head) => [head.threadId, head.title, path.relative(data, head.log).split('/')[0]])).toEqual([
      [ID, 'From the database', 'opencode.db'],
      ['ses_only', 'Only JSON', 'storage'],
    ]);
    expect(problems.map((problem) => path.basename(problem.path))).toEqual(['ses_bad.json']);
  });
});

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import { createEngine } from '../../electron/host/engine.ts';
import { SettingsFile } from '../../electron/host/settings.ts';
import { Upkeep, type UpkeepOptions } from '../../electron/host/upkeep.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { safetyStores } from '../../electron/snapshots/safety-stores.ts';
import { pins } from '../../electron/snapshots/store.ts';
import { DEFAULT_SETTINGS } from '../../shared/default-settings.ts';
import type { Reason } from '../../shared/errors.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

async function upkeepOf(changes: Partial<UpkeepOptions> = {}): Promise<{ upkeep: Upkeep; ownData: string; told: Reason[] }> {
  const ownData = path.join(await tempFolder(), 'own');
  const told: Reason[] = [];
  const upkeep = new Upkeep({
    ownData,
    git: createGit(),
    retention: async () => DEFAULT_SETTINGS.retention,
    report: (why) => void told.push(why),
    delay: 0,
    ...changes,
  });
  onTestFinished(() => upkeep.dispose());
  return { upkeep, ownData, told };
}

test('without anything kept there is nothing to do, and nothing is written', async () => {
  const { upkeep, ownData, told } = await upkeepOf();
  await upkeep.soon();
  expect(await upkeep.preview()).toEqual({ use: { entries: 0, workspaces: 0, bytes: 0 }, goes: [], needed: 0, problems: [] });
  expect(told).toEqual([]);
  await expect(readdir(ownData)).rejects.toThrow('ENOENT');
});

test('a failure in the background is told once, and asked for it is thrown', async () => {
  const { upkeep, ownData, told } = await upkeepOf();
  await mkdir(path.join(ownData, 'history'), { recursive: true });
  await writeFile(path.join(ownData, 'history', `${'a'.repeat(32)}.json`), '{');
  await upkeep.soon();
  expect(told.map(({ code }) => code)).toEqual(['HISTORY_UNREADABLE']);
  await expect(upkeep.clean()).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE' });
});

test('one that ends is no failure, and ending waits for nothing', async () => {
  const { upkeep, told } = await upkeepOf({ delay: 60_000 });
  const running = upkeep.soon();
  await upkeep.dispose();
  await running;
  expect(told).toEqual([]);
});

test('after a travel the window’s host keeps to the limits by itself', async () => {
  const folder = await tempFolder();
  const t = await tanstackScenario(folder, { threadId: 'kept' });
  await t.turn('Write it', [
    { tool: 'write_file', args: { path: 'a.txt' }, edit: (root) => writeFile(path.join(root, 'a.txt'), 'agent\n') },
  ]);
  const env = cleanEnv(folder);
  const ownData = env['TURNBACK_DATA'] ?? '';
  await new SettingsFile(ownData).set({ retention: { days: null, entries: 1, bytes: null } });
  const events: unknown[] = [];
  const engine = createEngine({ port: browserPort, push: (...event) => events.push(event), version: '0', open: null, env });
  onTestFinished(() => engine.dispose());
  const ask = async (call: string, input: unknown): Promise<{ ok: boolean; value?: unknown }> => engine.answer(call, input);
  const opened = await ask('thread.open', { thread: t.log, root: t.root, data: t.dataDir });
  const { id } = (opened.value as { head: { id: string } }).head;
  const run = async (operation: string, kind: string, stop: number | null): Promise<void> => {
    const where = { thread: id, kind, stop, entry: null, scope: 'both' };
    const { value } = await ask('travel.preview', where);
    const { fingerprint } = value as { fingerprint: string };
    expect(await ask('travel.run', { ...where, operation, drift: 'overwrite', choices: {}, fingerprint })).toMatchObject({ ok: true });
  };
  for (const at of [1, 2]) {
    await run(`r${at}`, 'revert', 1);
    await run(`u${at}`, 'unrevert', null);
  }
  const kept = async (): Promise<number> => {
    const [store] = await safetyStores(createGit(), ownData);
    return store === undefined ? 0 : (await pins(store)).length;
  };
  await expect.poll(kept, { timeout: 30_000 }).toBe(1);
  expect(await ask('clean.preview', { retention: null })).toMatchObject({
    ok: true,
    value: { use: { entries: 1, workspaces: 1 }, goes: [] },
  });
  await run('r3', 'revert', 1);
  expect(await kept()).toBe(2);
  expect(events.filter((event) => Array.isArray(event) && event[0] === 'notice')).toEqual([]);
});

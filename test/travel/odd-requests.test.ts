import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { ObjectReader } from '../../electron/snapshots/objects.ts';
import type { Blobs } from '../../electron/travel/blobs.ts';
import { leftOut } from '../../electron/travel/left-out.ts';
import { lineMerge } from '../../electron/travel/merge-lines.ts';
import { leftBy } from '../../electron/travel/predict.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { World } from '../../electron/travel/world.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { makeView } from '../renderer/make-view.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, restoreOf, revertTo, stopOf, travelling, UNREVERT } from './tanstack-travelling.ts';

const put = (files: Record<string, string>) => (root: string) => writeFiles(root, files);

describe('requests that are less than a whole travel', () => {
  test('take back the files alone, find nothing in a travel that wrote none, and need a file where one is meant', async () => {
    const { t, context } = await travelling();
    await writeFiles(t.root, { x: '0\n' });
    const first = await t.turn('one', [{ tool: 'edit_file', edit: put({ x: '1\n' }) }]);
    await t.turn('two', [{ tool: 'edit_file', edit: put({ x: '2\n' }) }]);
    await writeFile(path.join(t.root, 'tool'), '#!/bin/sh\n');
    await chmod(path.join(t.root, 'tool'), 0o755);
    const ctx = await context();
    const stop = stopOf(ctx, first.answerId);
    expect(await leftBy(ctx, revertTo(stop), 'tool', null)).toEqual({ mode: '100755', bytes: Buffer.from('#!/bin/sh\n') });

    const messages = await runTravel(ctx, revertTo(stop, 'messages'), DEFAULTS);
    expect((await previewTravel(ctx, restoreOf(messages.entry))).refusal).toMatchObject({ code: 'NOTHING_WRITTEN' });
    await expect(previewTravel(ctx, { ...UNREVERT, kind: 'restore' })).rejects.toMatchObject({ code: 'UNKNOWN_ENTRY' });
    const back = await previewTravel(ctx, { ...UNREVERT, scope: 'files' });
    expect([back.messages, back.files, back.refusal?.code]).toEqual([0, [], 'NO_FILES_AFTER']);
    await expect(previewTravel(ctx, { ...UNREVERT, kind: 'partial', scope: 'files' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('snapshots that are gone', () => {
  const lost = new TurnbackError('TREE_MISSING', { tree: 'f' });
  const failing = (thrown: Error) => ({ entry: () => Promise.reject(thrown), blob: () => Promise.reject(thrown) });

  test('name no file as left out: the step says it itself; what fails otherwise is told', async () => {
    const view = makeView([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'a', tools: [{ wrote: ['x'] }], files: [{ path: 'y' }] },
    ]);
    const thread = { ...view, steps: view.steps.map((step) => ({ ...step, from: 'f', to: 't', captured: true as const })) };
    const world = { disk: async () => ({ kind: 'file' }) } as unknown as World;
    const scoped = { paths: new Map(), sources: [] };
    const of = (objects: object) => leftOut(thread, 0, scoped, objects as ObjectReader, world);
    expect(await of({ entry: async () => null })).toEqual([{ path: 'x', why: 'A tool wrote it in step 1, but no snapshot holds it.' }]);
    expect(await of(failing(lost))).toEqual([]);
    await expect(of(failing(new Error('EIO')))).rejects.toThrow('EIO');
  });

  test('are no reason to merge nothing else; what fails otherwise is told', async () => {
    const tmp = await tempFolder();
    const merge = (thrown: Error) =>
      lineMerge(createGit(), { read: () => Promise.reject(thrown) } as unknown as Blobs, 'x', tmp)('a', 'b', 'c');
    expect(await merge(lost)).toEqual({ clean: false, why: 'gone' });
    await expect(merge(new Error('EIO'))).rejects.toThrow('EIO');
  });

  test('are told from a file that is written while it is looked at', async () => {
    const tmp = await tempFolder();
    const read = async (oid: string) => (oid === 'ours' ? Promise.reject(lost) : Buffer.from('x\n'));
    const merge = lineMerge(createGit(), { read } as unknown as Blobs, 'x', tmp);
    expect(await merge('base', 'ours', 'theirs')).toEqual({ clean: false, why: 'moving' });
    expect(await merge('ours', 'base', 'theirs')).toEqual({ clean: false, why: 'gone' });
  });
});

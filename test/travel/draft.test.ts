import { describe, expect, test } from 'vitest';
import type { DiskState } from '../../electron/snapshots/disk.ts';
import { MOST_BYTES } from '../../electron/travel/blobs.ts';
import type { Chain } from '../../electron/travel/chains.ts';
import { ABSENT } from '../../electron/travel/content.ts';
import { type Draft, draftOf } from '../../electron/travel/draft.ts';
import type { World } from '../../electron/travel/world.ts';
import { fakeWorld, file, layer, link, stateOf } from './drafts.ts';

const edit: Chain = { layers: [layer(file('a'), file('b'))] };

async function drafted(disk: Record<string, DiskState>, chains: Record<string, Chain>, more: Partial<World> = {}): Promise<Draft> {
  return draftOf(fakeWorld(disk, more), new Map(Object.entries(chains)));
}

/** The one reason why the path `p` is passed over. */
async function skipped(state: DiskState, chain: Chain = edit, more: Partial<World> = {}): Promise<string | undefined> {
  const draft = await drafted({ p: state }, { p: chain }, more);
  expect([draft.files, draft.already]).toEqual([[], []]);
  return draft.skipped.find(({ path }) => path === 'p')?.why;
}

describe('a draft', () => {
  test('sorts paths into those to write, those passed over and those that are there already, in the order of the chains', async () => {
    const disk = { z: stateOf(file('b')), done: stateOf(file('a')), a: stateOf(file('b')) };
    const draft = await drafted(disk, { z: edit, done: edit, lost: { why: 'Its tree is gone.' }, a: edit });
    expect(draft.files.map((one) => one.path)).toEqual(['z', 'a']);
    expect(draft.skipped).toEqual([{ path: 'lost', why: 'Its tree is gone.' }]);
    expect(draft.already).toEqual(['done']);
    expect(draft.files[0]).toMatchObject({
      drift: false,
      choice: 'write',
      choices: ['write', 'keep'],
      why: null,
      state: disk.z,
      disk: { kind: 'file', oid: 'b'.repeat(40), executable: false, mode: 0o644 },
      target: file('a'),
      merged: file('a'),
      layers: [layer(file('a'), file('b'))],
    });
  });

  test('passes over what can not be looked at or written, each with its reason', async () => {
    expect(await skipped({ kind: 'other', what: 'a pipe' })).toBe('It is a pipe now.');
    expect(await skipped({ kind: 'blocked', why: 'Its folder p is a link.' })).toBe('Its folder p is a link.');
    const exactName = async () => false;
    expect(await skipped(stateOf(file('b')), edit, { exactName })).toBe(
      'Another file on this disk has the same name but for case or Unicode form.',
    );
    expect(await skipped(stateOf(file('b')), edit, { size: async () => null })).toBe(
      'Its content is gone from the snapshots: it has expired or was removed.',
    );
    expect(await skipped(stateOf(file('b')), edit, { size: async () => MOST_BYTES + 1 })).toBe(`It is larger than ${MOST_BYTES} bytes.`);
    const planted: Chain = { layers: [layer(link('a'), file('b'))] };
    expect(await skipped(stateOf(file('b')), planted, { linkTarget: async () => '../../out' })).toBe(
      'The link leads out of the workspace.',
    );
  });

  test('takes a file of just the largest size, a link that stays inside, and any link that stood here before', async () => {
    const largest = await drafted({ p: stateOf(file('b')) }, { p: edit }, { size: async () => MOST_BYTES });
    expect(largest.files).toHaveLength(1);
    const inside = await drafted({ p: stateOf(file('b')) }, { p: { layers: [layer(link('a'), file('b'))] } });
    expect(inside.files[0]?.target).toEqual(link('a'));
    const own: Chain = { layers: [layer(link('a'), file('b'), { own: true })] };
    const back = await drafted({ p: stateOf(file('b')) }, { p: own }, { linkTarget: async () => '/etc' });
    expect(back.files[0]?.target).toEqual(link('a'));
  });

  test('an unsafe name is refused before anything is asked', async () => {
    const draft = await drafted({}, { '../out': edit, '.git/config': edit });
    expect(draft.skipped.map(({ path }) => path)).toEqual(['../out', '.git/config']);
    expect(draft.skipped.every(({ why }) => why.startsWith('The path '))).toBe(true);
  });

  test('a name whose file is not there is not asked for its case', async () => {
    const made: Chain = { layers: [layer(file('a'), ABSENT)] };
    const draft = await drafted({}, { p: made }, { exactName: async () => false });
    expect(draft.files.map((one) => [one.path, one.disk.kind])).toEqual([['p', 'absent']]);
  });

  test('a deletion asks for no content', async () => {
    const made: Chain = { layers: [layer(ABSENT, file('b'))] };
    const draft = await drafted({ p: stateOf(file('b')) }, { p: made }, { size: async () => null });
    expect(draft.files.map((one) => one.target.kind)).toEqual(['absent']);
  });

  test('a file above that is part of the travel gives way; one that is not does not', async () => {
    const blocked: DiskState = { kind: 'blocked', why: 'tools is not a folder.' };
    const below: Chain = { layers: [layer(file('a'), ABSENT)] };
    const goes: Chain = { layers: [layer(ABSENT, file('t'))] };
    const disk = { tools: stateOf(file('t')), 'tools/run': blocked };
    const both = await drafted(disk, { 'tools/run': below, tools: goes });
    expect(both.files.map((one) => [one.path, one.state.kind])).toEqual([
      ['tools/run', 'absent'],
      ['tools', 'file'],
    ]);
    expect((await drafted(disk, { 'tools/run': below })).skipped).toEqual([{ path: 'tools/run', why: 'tools is not a folder.' }]);
    expect((await drafted(disk, { 'tools/run': below, tools: { why: 'gone' } })).skipped).toContainEqual({
      path: 'tools/run',
      why: 'tools is not a folder.',
    });
    // A link above, as part of it, too; a pipe never.
    const linked = { tools: stateOf(link('t')), 'tools/run': blocked };
    const chain: Chain = { layers: [layer(ABSENT, link('t'))] };
    expect((await drafted(linked, { 'tools/run': below, tools: chain })).files).toHaveLength(2);
    const piped = { tools: { kind: 'other', what: 'a pipe' } as const, 'tools/run': blocked };
    expect((await drafted(piped, { 'tools/run': below, tools: chain })).files).toEqual([]);
    // The nearest thing that is no folder decides; folders above it do not.
    const deep = { a: { kind: 'folder' } as const, 'a/t': stateOf(file('t')), 'a/t/x': blocked };
    expect((await drafted(deep, { 'a/t/x': below, 'a/t': goes })).files).toHaveLength(2);
    // Nothing above is in the way at all: what blocks is not ours.
    const closed = { a: { kind: 'folder' } as const, 'a/x': blocked };
    expect((await drafted(closed, { 'a/x': below })).skipped).toHaveLength(1);
  });

  test('below a file of the user nothing is to be taken away; what shall be there is passed over', async () => {
    const blocked: DiskState = { kind: 'blocked', why: 'tools is not a folder.', empty: true };
    const linked: DiskState = { kind: 'blocked', why: 'Its folder tools is a link.' };
    const [made, edited] = [{ layers: [layer(file('c'), file('b')), layer(ABSENT, file('c'))] }, edit];
    const disk = { tools: stateOf(file('t')), 'tools/run': blocked, 'tools/deep/x': blocked, 'tools/y': blocked, 'ln/z': linked };
    const draft = await drafted(disk, { 'tools/run': made, 'tools/deep/x': made, 'tools/y': edited, 'ln/z': made });
    expect(draft.already).toEqual(['tools/run', 'tools/deep/x']);
    expect(draft.skipped).toEqual([
      { path: 'tools/y', why: 'tools is not a folder.' },
      { path: 'ln/z', why: 'Its folder tools is a link.' },
    ]);
    expect(draft.files).toEqual([]);
  });

  test('a merge that cannot be written is not offered; the exact state still is', async () => {
    const merge = () => async () => ({ clean: true as const, oid: 'm'.repeat(40) });
    const size: World['size'] = async (content) => (content.kind === 'file' && content.oid.startsWith('m') ? MOST_BYTES + 1 : 10);
    const fits = await drafted({ p: stateOf(file('f')) }, { p: edit }, { merge });
    expect(fits.files[0]).toMatchObject({ drift: true, choice: 'merge', choices: ['merge', 'keep', 'overwrite'] });
    const large = await drafted({ p: stateOf(file('f')) }, { p: edit }, { merge, size });
    expect(large.files[0]).toMatchObject({ drift: true, choice: 'keep', choices: ['keep', 'overwrite'], merged: null });
  });

  test('asks for ignored paths and other writers only where something drifted, and says who', async () => {
    const asked: string[][] = [];
    const more: Partial<World> = {
      ignored: async (paths) => {
        asked.push([...paths]);
        return new Set(['secret']);
      },
      others: async (paths) => {
        asked.push([...paths]);
        return new Map([
          ['p', 'Somebody did.'],
          ['calm', 'Nobody asked.'],
        ]);
      },
    };
    const calm = await drafted({ calm: stateOf(file('b')) }, { calm: edit }, more);
    expect([asked, calm.files[0]?.why]).toEqual([[], null]);
    const disk = { p: stateOf(file('x')), secret: stateOf(file('x')), calm: stateOf(file('b')) };
    const draft = await drafted(disk, { p: edit, secret: edit, calm: edit }, more);
    expect(asked).toEqual([
      ['p', 'secret'],
      ['p', 'secret'],
    ]);
    expect(draft.files.map(({ path, why }) => [path, why])).toEqual([
      ['p', "It was changed since in the same lines as the agent's changes. Somebody did."],
      ['secret', 'It was changed since, and .gitignore names it now.'],
      ['calm', null],
    ]);
  });
});

import { expect, test } from 'vitest';
import { Blobs } from '../../electron/travel/blobs.ts';
import { keepCarried, mayHoldOthers } from '../../electron/travel/carried.ts';
import type { Chain } from '../../electron/travel/chains.ts';
import { ABSENT, type Content } from '../../electron/travel/content.ts';
import type { DraftFile } from '../../electron/travel/draft.ts';
import type { Layer } from '../../electron/travel/peel.ts';
import { draftFile, drifted, layer, link } from './drafts.ts';

const blobs = new Blobs({ format: 'sha1', readers: [], root: null });
const bytes = (text: string | Buffer, executable = false): Content => ({
  kind: 'file',
  oid: blobs.add(Buffer.from(text)),
  executable,
  mode: null,
});
const gone = (digit: string): Content => ({ kind: 'file', oid: digit.repeat(40), executable: false, mode: null });
const lines = (...other: string[]): string => ['one', 'two', 'three', 'four', ...other].map((line) => `${line}\n\n`).join('');

const [AGENT, MINE] = [bytes(lines('agent')), bytes(lines('mine'))];

/**
 * `from` is changed by steps 1 and 3, with `content` in between; step 3 takes it away there and leaves `taken` at `to`, which goes.
 * The draft of `from` says that it stays as it is.
 */
function moved(o: {
  content: Content;
  base?: Content;
  after?: Content;
  taken?: Content;
  before?: Content;
  disk?: Content;
  from?: Partial<Layer>;
  own?: DraftFile | null;
  more?: DraftFile[];
  chains?: [string, Chain][];
}): { files: DraftFile[]; chains: Map<string, Chain> } {
  const { content, base = AGENT, after = ABSENT, taken = content, before = ABSENT } = o;
  const own = o.own === undefined ? drifted('from', { disk: after, choice: 'keep', merged: null }) : o.own;
  const to = draftFile('to', { disk: o.disk ?? taken, target: before });
  const chains = new Map<string, Chain>([
    ['from', { layers: [layer(content, after, { position: 3, ...o.from }), layer(bytes('begin\n'), base, { position: 1 })] }],
    ['to', { layers: [layer(before, taken, { position: 3 })] }],
    ...(o.chains ?? []),
  ]);
  return { files: [...(own === null ? [] : [own]), to, ...(o.more ?? [])], chains };
}

const BIG = Buffer.alloc(1024 * 1024 + 1, 'x\n');
const BINARY = Buffer.from([1, 0, 2, 10, 3]);

test.each<[string, Parameters<typeof moved>[0]]>([
  ['the same text', { content: MINE }],
  ['the same text, that may be run now', { content: MINE, taken: bytes(lines('mine'), true) }],
  ['a text that grew out of it', { content: MINE, taken: bytes(`${lines('mine')}more\n`) }],
  ['a text that grew out of one where there was nothing', { content: MINE, base: ABSENT, taken: bytes(`${lines('mine')}more\n`) }],
  ['a binary', { content: bytes(BINARY) }],
  ['a large file', { content: bytes(BIG) }],
  ['one that nobody has any more', { content: gone('1') }],
  ['a link', { content: link('l') }],
  ['a file in the place of a link', { content: MINE, base: link('l') }],
  ['a file in the place of nothing', { content: MINE, base: ABSENT }],
  ['a text whose old place was written anew', { content: MINE, after: bytes('another\n') }],
  ['a text in the place of another file', { content: MINE, before: bytes('was there\n') }],
  ['a text whose old place is as it shall be', { content: MINE, own: null }],
  ['a text that the user changed further', { content: MINE, disk: bytes(lines('mine', 'and more')) }],
])('stays where it is now: %s', async (_name, o) => {
  const { files, chains } = moved(o);
  expect(await mayHoldOthers(chains, new Set(['to']), blobs)).toBe(true);
  expect(await keepCarried(files, chains, blobs)).toBe(true);
  expect(files.find(({ path }) => path === 'to')).toMatchObject({
    drift: true,
    choice: 'keep',
    choices: ['keep', 'overwrite'],
    why: 'It holds what was changed since in from, and nothing else would if it went.',
  });
  // Said once, there is nothing to add.
  expect(await keepCarried(files, chains, blobs)).toBe(false);
});

const cut = { why: 'It is a submodule; its content is not in the snapshots.' };

test.each<[string, Parameters<typeof moved>[0]]>([
  ['nobody changed the file in between', { content: AGENT }],
  ['only its exec bit was changed', { content: bytes(lines('agent'), true) }],
  ['there was no file in between', { content: ABSENT, after: bytes('b\n'), taken: MINE }],
  ['the step left it where it was', { content: MINE, after: bytes(lines('mine'), true) }],
  ['its old place merges', { content: MINE, own: drifted('from', { disk: ABSENT, merged: MINE }) }],
  ['its old place still holds it', { content: MINE, own: drifted('from', { disk: bytes(lines('mine', 'x')), choice: 'keep' }) }],
  ['its change was no step of the agent', { content: MINE, from: { bystander: true } }],
  ['the new file has too few of its lines', { content: MINE, taken: bytes('mine\n1\n2\n3\n4\n5\n6\n') }],
  ['the new file has the lines of others alone', { content: MINE, taken: bytes(lines('other')) }],
  ['the new file is not there any more', { content: MINE, disk: ABSENT }],
  ['something else stands in its place', { content: MINE, disk: link('x') }],
  ['the file was there before and has other bytes', { content: MINE, before: bytes('z\n'), taken: bytes(lines('mine', 'x')) }],
  ['binaries differ', { content: bytes(BINARY), taken: bytes(Buffer.concat([BINARY, BINARY])) }],
  ['large files differ', { content: bytes(BIG), taken: bytes(Buffer.concat([BIG, BINARY])) }],
  ['the new file had it before', { content: MINE, chains: [['to', { layers: [layer(ABSENT, MINE, { position: 2 })] }]] }],
  ['nobody has the bytes to compare', { content: gone('2'), taken: gone('3') }],
  [
    'another copy of it stays',
    {
      content: MINE,
      more: [drifted('copy', { disk: MINE, choice: 'keep' })],
      chains: [['copy', { layers: [layer(ABSENT, MINE, { position: 4 })] }]],
    },
  ],
])('goes when %s', async (_name, o) => {
  const { files, chains } = moved({ ...o, chains: [...(o.chains ?? []), ['cut', cut]] });
  const said = (): unknown[] => files.map(({ path, drift, choice, choices, why }) => [path, drift, choice, choices, why]);
  const before = said();
  expect(await keepCarried(files, chains, blobs)).toBe(false);
  expect(said()).toEqual(before);
});

test('every file that holds it stays, and says whose lines it holds first', async () => {
  const { files, chains } = moved({
    content: MINE,
    more: [draftFile('copy', { disk: MINE, target: ABSENT })],
    chains: [['copy', { layers: [layer(ABSENT, MINE, { position: 4 })] }]],
  });
  expect(await keepCarried(files, chains, blobs)).toBe(true);
  expect(files.map(({ path, choice }) => [path, choice])).toEqual([
    ['from', 'keep'],
    ['to', 'keep'],
    ['copy', 'keep'],
  ]);
  expect(await mayHoldOthers(chains, new Set(['from']), blobs)).toBe(false);
});

test('bytes that are not what their name says are no reason to guess', async () => {
  const broken = new Blobs({
    format: 'sha1',
    readers: [{ info: async () => ({ type: 'blob', size: 1 }), blob: async () => Buffer.from('?') } as never],
    root: null,
  });
  const { files, chains } = moved({ content: gone('2'), taken: gone('3') });
  await expect(keepCarried(files, chains, broken)).rejects.toMatchObject({ code: 'OBJECT_DAMAGED' });
});

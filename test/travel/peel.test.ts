import { describe, expect, test } from 'vitest';
import { ABSENT, type Content } from '../../electron/travel/content.ts';
import { verdictOn } from '../../electron/travel/drift.ts';
import { type MergeText, mergeContent } from '../../electron/travel/merge-content.ts';
import { type Layer, peel } from '../../electron/travel/peel.ts';
import { file, layer, link } from './drafts.ts';

/** A merge that tells what it was asked: `f` merges always, everything else conflicts. */
const merging: MergeText = async (base, ours, theirs) =>
  ours.startsWith('f') ? { clean: true, oid: 'e'.repeat(40) } : { clean: false, why: base === theirs ? 'large' : 'conflict' };

describe('peel', () => {
  test.each<[string, Content, Layer[], Content]>([
    ['one layer', file('b'), [layer(file('a'), file('b'))], file('a')],
    ['a file that was made', file('b'), [layer(ABSENT, file('b'))], ABSENT],
    ['a file that was deleted', ABSENT, [layer(file('a'), ABSENT)], file('a')],
    ['a chain', file('d'), [layer(file('c'), file('d')), layer(file('b'), file('c')), layer(file('a'), file('b'))], file('a')],
    ['an exec bit', file('a', true), [layer(file('a'), file('a', true))], file('a')],
    ['a kind', link('b'), [layer(file('a'), link('b'))], file('a')],
    ['layers that change nothing are passed over', file('b'), [layer(file('b'), file('b')), layer(file('a'), file('b'))], file('a')],
    ['full permission bits do not count', file('b', false, 0o600), [layer(file('a'), file('b'))], file('a')],
  ])('exact: %s', async (_name, disk, layers, target) => {
    expect(await peel(disk, layers, merging)).toMatchObject({ target, merged: target, drift: false, clash: null });
  });

  test.each<[string, Content, Layer[]]>([
    ['no layer', file('a'), []],
    ['only layers that change nothing', file('x'), [layer(file('a'), file('a'))]],
    ['already there', file('a'), [layer(file('a'), file('b'))]],
    ['already gone', ABSENT, [layer(ABSENT, file('b'))]],
    ['already there, whatever happened between', file('a'), [layer(file('c'), file('d')), layer(file('a'), file('b'))]],
  ])('nothing to do: %s', async (_name, disk, layers) => {
    expect(await peel(disk, layers, merging)).toBeNull();
  });

  test.each<[string, Content, Layer[], Partial<NonNullable<Awaited<ReturnType<typeof peel>>>>]>([
    ['text that merges', file('f'), [layer(file('a'), file('b'))], { merged: file('e'), clash: null }],
    ['text that conflicts', file('d'), [layer(file('a'), file('b'))], { merged: null, clash: 'conflict' }],
    ['you deleted it', ABSENT, [layer(file('a'), file('b'))], { merged: null, clash: 'deleted' }],
    ['the agent made it, you changed it', file('d'), [layer(ABSENT, file('b'))], { merged: null, clash: 'edited' }],
    ['the agent deleted it, you made another', file('d'), [layer(file('a'), ABSENT)], { merged: null, clash: 'recreated' }],
    ['another kind', link('d'), [layer(file('a'), file('b'))], { merged: null, clash: 'kind' }],
    ['gone: as it was then', ABSENT, [layer(file('d'), ABSENT), layer(file('a'), file('b'))], { merged: file('d'), clash: 'conflict' }],
    ['gone: a link, too', ABSENT, [layer(link('d'), ABSENT), layer(file('a'), file('b'))], { merged: link('d'), clash: 'kind' }],
    [
      'gone, with an edit of the agent on top',
      ABSENT,
      [layer(file('e'), ABSENT), layer(file('d'), file('e')), layer(file('a'), file('b'))],
      { merged: file('d'), clash: 'conflict' },
    ],
    ['there: no half of it', file('c'), [layer(file('d'), file('c')), layer(file('a'), file('b'))], { merged: null, clash: 'conflict' }],
    // An edit between two steps, where the newest fits.
    ['a gap', file('d'), [layer(file('f'), file('d')), layer(file('a'), file('b'))], { merged: file('e'), clash: null }],
    // The mode went one way, the bytes the other: no text needs to be merged.
    ['your bytes, the agent’s bit', file('d', true), [layer(file('b'), file('b', true))], { merged: file('d'), clash: null }],
    ['your bit, the agent’s bytes', file('b', true), [layer(file('a'), file('b'))], { merged: file('a', true), clash: null }],
  ])('drift: %s', async (_name, disk, layers, expected) => {
    expect(await peel(disk, layers, merging)).toMatchObject({ drift: true, target: layers.at(-1)?.before, ...expected });
  });

  test('a bystander’s layer stays, unless all is overwritten', async () => {
    const alone = await peel(file('b'), [layer(ABSENT, file('b'), { bystander: true })], merging);
    expect(alone).toMatchObject({ drift: true, target: ABSENT, merged: file('b'), clash: null });
    const mixed = await peel(file('f'), [layer(file('b'), file('f')), layer(file('a'), file('b'), { bystander: true })], merging);
    expect(mixed).toMatchObject({ drift: true, target: file('a'), merged: file('b') });
  });
});

describe('verdictOn', () => {
  test('without drift the exact state is written', async () => {
    const peeled = await peel(file('b'), [layer(file('a'), file('b'))], merging);
    if (peeled === null) throw new Error('nothing to do');
    expect(verdictOn(file('b'), peeled, true)).toEqual({ drift: false, choice: 'write', choices: ['write', 'keep'], why: null });
  });

  test.each<[string, Content, Layer[], boolean, object]>([
    ['a merge', file('f'), [layer(file('a'), file('b'))], false, { choice: 'merge', choices: ['merge', 'keep', 'overwrite'] }],
    [
      'a merge of an ignored file',
      file('f'),
      [layer(file('a'), file('b'))],
      true,
      { choice: 'keep', choices: ['merge', 'keep', 'overwrite'], why: 'It was changed since, and .gitignore names it now.' },
    ],
    [
      'a conflict',
      file('d'),
      [layer(file('a'), file('b'))],
      false,
      { choice: 'keep', choices: ['keep', 'overwrite'], why: "It was changed since in the same lines as the agent's changes." },
    ],
    ['deleted', ABSENT, [layer(file('a'), file('b'))], false, { choice: 'keep', why: 'It was deleted since.' }],
    [
      'edited',
      file('d'),
      [layer(ABSENT, file('b'))],
      false,
      { choice: 'keep', why: 'It was changed since the agent made it; taking it away would lose those changes.' },
    ],
    [
      'recreated',
      file('d'),
      [layer(file('a'), ABSENT)],
      false,
      { choice: 'keep', why: 'The agent deleted it, and another file stands in its place now.' },
    ],
    [
      'edited since a travel',
      file('d'),
      [layer(ABSENT, file('b'), { travel: true })],
      false,
      { choice: 'keep', why: 'It was changed since the travel put it there; taking it away would lose those changes.' },
    ],
    [
      'recreated since a travel',
      file('d'),
      [layer(file('a'), ABSENT, { travel: true })],
      false,
      { choice: 'keep', why: 'The travel took it away, and another file stands in its place now.' },
    ],
    [
      'in conflict with a travel',
      file('d'),
      [layer(file('a'), file('b'), { travel: true })],
      false,
      { choice: 'keep', why: 'It was changed since in the same lines that the travel changed.' },
    ],
    [
      'merged with a travel',
      file('f'),
      [layer(file('a'), file('b'), { travel: true })],
      false,
      { choice: 'merge', why: 'It was changed since; what the travel changed goes and the others stay.' },
    ],
    [
      'merged with a travel above a step',
      file('f'),
      [layer(file('e'), file('b'), { travel: true }), layer(file('a'), file('e'))],
      false,
      { choice: 'merge', why: "It was changed since; the agent's changes go and the others stay." },
    ],
    [
      'a bystander that was there before',
      file('b'),
      [layer(file('a'), file('b'), { bystander: true, from: 'step 7' })],
      false,
      { choice: 'keep', choices: ['keep', 'overwrite'], why: 'It was changed during step 7, by no tool.' },
    ],
    [
      'nothing of the agent’s left',
      file('a', true),
      [layer(file('a'), file('b'))],
      false,
      { choice: 'keep', choices: ['keep', 'overwrite'], why: "It was changed since, and nothing of the agent's changes is left in it." },
    ],
  ])('%s', async (_name, disk, layers, ignored, expected) => {
    const peeled = await peel(disk, layers, merging);
    if (peeled === null) throw new Error('nothing to do');
    expect(verdictOn(disk, peeled, ignored)).toMatchObject({ drift: true, ...expected });
  });
});

test('mergeContent asks for text only when all three sides differ', async () => {
  const never: MergeText = async () => {
    throw new Error('asked');
  };
  const sides: [Content, Content, Content, Content][] = [
    [file('a'), file('a'), file('b'), file('b')],
    [file('a'), file('b'), file('a'), file('b')],
    [file('a'), file('b'), file('b'), file('b')],
    [ABSENT, file('b'), ABSENT, file('b')],
    [file('a'), ABSENT, ABSENT, ABSENT],
    [file('a', true), file('b', true), file('a'), file('b')],
    [file('a'), file('a', true), file('b'), file('b', true)],
  ];
  for (const [base, ours, theirs, content] of sides)
    expect(await mergeContent(base, ours, theirs, never)).toEqual({ clean: true, content });
  await expect(mergeContent(file('a'), file('b'), file('c'), never)).rejects.toThrow('asked');
});

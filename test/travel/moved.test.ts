import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { leftBy } from '../../electron/travel/predict.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { Choice } from '../../shared/plan.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, revertTo, type Travelling, travelling, UNREVERT } from './tanstack-travelling.ts';

/** Twenty lines, some of them other ones. */
function lines(other: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 20 }, (_, at) => `${other[at + 1] ?? `line ${at + 1}`}\n`).join('');
}

const [AGENT, MINE, ELSEWHERE, LATER] = [{ 3: "agent's" }, { 3: 'mine' }, { 18: 'mine' }, { 12: 'later' }];
const NAMES = ['a', 'A', 'b', 'c'];

type Act = (w: Travelling) => Promise<unknown>;

const user =
  (name: string, text: string): Act =>
  ({ t }) =>
    writeFiles(t.root, { [name]: text });

/** A turn in which the agent writes the file; `from`: after it was moved there from another name. */
const agent =
  (name: string, text: string | null, from?: string): Act =>
  ({ t }) =>
    t.turn('go', [
      {
        tool: 'bash',
        edit: async (root) => {
          if (from !== undefined) await rename(path.join(root, from), path.join(root, name));
          if (text === null) return;
          await rm(path.join(root, name), { force: true });
          await writeFiles(root, { [name]: text });
        },
      },
    ]);
const moves = (from: string, to: string): Act => agent(to, null, from);

async function textOf({ t }: Travelling, name: string): Promise<string | null> {
  return readFile(path.join(t.root, name), 'utf8').catch(() => null);
}

const SAME = "It was changed since in the same lines as the agent's changes.";
const BACK = `${SAME} It comes back as it was then.`;
const EDITED = 'It was changed since the agent made it; taking it away would lose those changes.';
const holds = (name: string): string => `It holds what was changed since in ${name}, and nothing else would if it went.`;

const clash = [agent('a', lines(AGENT)), user('a', lines(MINE))];

/** What is preselected for a path and why, and the file that each choice leaves: null for none. */
type Row = [name: string, choice: Choice, why: string | null, left: Partial<Record<Choice, string | null>>];

test.each<[string, Act[], Row[]]>([
  [
    'that nobody else touched goes back',
    [moves('a', 'b')],
    [
      ['a', 'write', null, { write: lines(), keep: null }],
      ['b', 'write', null, { write: null, keep: lines() }],
    ],
  ],
  [
    'with an edit of the user in other lines goes back with it',
    [agent('a', lines(AGENT)), user('a', lines({ ...AGENT, ...ELSEWHERE })), moves('a', 'b')],
    [
      [
        'a',
        'merge',
        "It was changed since; the agent's changes go and the others stay.",
        { merge: lines(ELSEWHERE), keep: null, overwrite: lines() },
      ],
      ['b', 'write', null, { write: null, keep: lines({ ...AGENT, ...ELSEWHERE }) }],
    ],
  ],
  [
    'with an edit of the user in the same lines goes back to what it was then',
    [...clash, moves('a', 'b')],
    [
      ['a', 'merge', BACK, { merge: lines(MINE), keep: null, overwrite: lines() }],
      ['b', 'write', null, { write: null, keep: lines(MINE) }],
    ],
  ],
  [
    'that was changed by the agent on its way, and after it, too',
    [...clash, agent('b', lines({ ...MINE, ...LATER }), 'a'), agent('b', lines({ ...MINE, 12: 'again' }))],
    [
      ['a', 'merge', BACK, { merge: lines(MINE), keep: null, overwrite: lines() }],
      ['b', 'write', null, { write: null, keep: lines({ ...MINE, 12: 'again' }) }],
    ],
  ],
  [
    'to a name that differs by case alone',
    [...clash, moves('a', 'A')],
    [
      ['A', 'write', null, { write: null, keep: lines(MINE) }],
      ['a', 'merge', BACK, { merge: lines(MINE), keep: null, overwrite: lines() }],
    ],
  ],
  [
    'of the very bytes, whose copy the user edited: the copy stays and says that both will be there',
    [moves('a', 'b'), user('b', lines(MINE))],
    [
      ['a', 'write', null, { write: lines(), keep: null }],
      [
        'b',
        'keep',
        'It was changed since the agent moved it here from a; taking it away would lose those changes. a comes back as well.',
        { keep: lines(MINE), overwrite: null },
      ],
    ],
  ],
  [
    'of the very bytes, back to a place where another file stands: only the copy is told of',
    [moves('a', 'b'), user('b', lines(MINE)), user('a', 'another\n')],
    [
      ['a', 'keep', 'The agent deleted it, and another file stands in its place now.', { keep: 'another\n', overwrite: lines() }],
      ['b', 'keep', EDITED, { keep: lines(MINE), overwrite: null }],
    ],
  ],
  [
    'whose copy the user edited: the copy stays',
    [agent('b', lines(AGENT), 'a'), user('b', lines(MINE))],
    [
      ['a', 'write', null, { write: lines(), keep: null }],
      ['b', 'keep', EDITED, { keep: lines(MINE), overwrite: null }],
    ],
  ],
  [
    'whose copy the user edited, and which was moved on: the last copy stays',
    [agent('b', lines(AGENT), 'a'), user('b', lines(MINE)), moves('b', 'c')],
    [
      ['a', 'write', null, { write: lines(), keep: null }],
      ['c', 'keep', holds('b'), { keep: lines(MINE), overwrite: null }],
    ],
  ],
  [
    'whose copy the user edited, and which was moved back: it stays as it is',
    [moves('a', 'b'), user('b', lines(MINE)), moves('b', 'a')],
    [['a', 'keep', holds('b'), { keep: lines(MINE), overwrite: lines() }]],
  ],
  [
    'whose copy the user edited, and which was moved back with a change',
    [moves('a', 'b'), user('b', lines(MINE)), agent('a', lines({ ...MINE, ...LATER }), 'b')],
    [['a', 'keep', holds('b'), { keep: lines({ ...MINE, ...LATER }), overwrite: lines() }]],
  ],
  [
    'in whose old place another file stands: both stay',
    [...clash, moves('a', 'b'), agent('a', 'another\n')],
    [
      ['a', 'keep', SAME, { keep: 'another\n', overwrite: lines() }],
      ['b', 'keep', holds('a'), { keep: lines(MINE), overwrite: null }],
    ],
  ],
  [
    'onto a file that was there: what it holds stays where it cannot go back',
    [({ t }) => writeFiles(t.root, { c: 'was there\n' }), ...clash, moves('a', 'c'), agent('a', 'another\n')],
    [
      ['a', 'keep', SAME, { keep: 'another\n', overwrite: lines() }],
      ['c', 'keep', holds('a'), { keep: lines(MINE), overwrite: 'was there\n' }],
    ],
  ],
  [
    'that left a copy where it was changes nothing for the new one',
    [...clash, agent('b', lines(MINE))],
    [
      ['a', 'keep', SAME, { keep: lines(MINE), overwrite: lines() }],
      ['b', 'write', null, { write: null, keep: lines(MINE) }],
    ],
  ],
])('a move %s', async (_name, acts, rows) => {
  const w = await travelling({ events: false });
  await writeFiles(w.t.root, { a: lines() });
  for (const act of acts) await act(w);
  const before = await manifest(w.t.root, { mtimes: true });
  const texts = await Promise.all(NAMES.map((name) => textOf(w, name)));
  const context = await w.context();
  const plan = await previewTravel(context, revertTo(1));
  expect(plan.files.map(({ path: name, choice, why }) => [name, choice, why])).toEqual(rows.map((row) => row.slice(0, 3)));
  expect(plan.files.map(({ drift }) => drift)).toEqual(rows.map(([, , why]) => why !== null));
  for (const { path: name, choices } of plan.files) {
    const left = rows.find((row) => row[0] === name)?.[3] ?? {};
    expect(choices.toSorted()).toEqual(Object.keys(left).toSorted());
    for (const choice of choices) {
      const file = await leftBy(context, revertTo(1), name, choice);
      expect([name, choice, file?.bytes.toString() ?? null]).toEqual([name, choice, left[choice]]);
    }
  }
  // What is shown of a single file is what the plan preselects.
  for (const [name, choice, , left] of rows) {
    expect((await leftBy(context, revertTo(1), name, null))?.bytes.toString() ?? null).toBe(left[choice]);
  }
  expect(await manifest(w.t.root, { mtimes: true })).toEqual(before);
  if (plan.refusal !== null) {
    expect([plan.refusal.code, rows.map(([, choice]) => choice)]).toEqual(['NOTHING_CAN_GO_BACK', ['keep']]);
    return;
  }
  await runTravel(context, revertTo(1), { ...DEFAULTS, fingerprint: plan.fingerprint });
  const expected = NAMES.map((name, at) => {
    const row = rows.find((one) => one[0] === name);
    return row === undefined ? texts[at] : row[3][row[1]];
  });
  expect(await Promise.all(NAMES.map((name) => textOf(w, name)))).toEqual(expected);
  await runTravel(await w.context(), UNREVERT, DEFAULTS);
  expect(await manifest(w.t.root)).toEqual(before.map((line) => line.replace(/ [\d.]+$/, '')));
});

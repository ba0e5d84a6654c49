import type { Range, ThreadView } from '../../../shared/contract.ts';
import { reason } from '../../../shared/errors.ts';
import type { FileChange } from '../../../shared/model.ts';
import type { HistoryEntry, Plan, PlanFile, TravelKind } from '../../../shared/plan.ts';
import { makeView, type Say } from '../make-view.ts';
import { everyKind, type FakeFile, manyFiles, pictureFile } from './fake-files.ts';

/** The path of a file of the fake thread. */
export type Fakes = ReadonlyMap<string, FakeFile>;

const PHOTO = 'assets/photo.png';

/** With `looks`, there is a picture, and package.json is changed a second time. */
export function fakesOf(many: number, looks: boolean): Fakes {
  const files = [...everyKind(), ...(looks ? [pictureFile(PHOTO)] : []), ...manyFiles(many)];
  return new Map(files.map((file) => [file.change.path, file]));
}

const pick = (fakes: Fakes, ...paths: string[]): FileChange[] => paths.flatMap((path) => fakes.get(path)?.change ?? []);

function says(fakes: Fakes): Say[] {
  const rest = [...fakes.keys()].filter((path) => !/login|session|old-login|package\.json/.test(path));
  return [
    { role: 'user', text: 'Fix the login form: it must show an error when the name or the password is wrong.' },
    {
      role: 'assistant',
      text: 'I will read the form and its tests first.',
      tools: [
        { name: 'read_file', summary: 'app/src/features/authentication/login-form.tsx' },
        { name: 'grep', summary: 'setBusy' },
      ],
      files: [],
    },
    {
      role: 'assistant',
      text: 'The promise is never caught. I add a `try` and show the message.',
      tools: [{ name: 'edit_file' }, { name: 'edit_file' }],
      files: pick(fakes, 'app/src/features/authentication/login-form.tsx', 'app/src/features/authentication/session.ts'),
    },
    {
      role: 'assistant',
      text: 'Now the old form can go, and the tests run.',
      tools: [
        { name: 'delete_file', summary: 'app/src/legacy/old-login.js' },
        { name: 'bash', summary: 'npm test -- login', sideEffect: 'shell', wrote: null, durationMs: 8300 },
      ],
      files: pick(fakes, 'app/src/legacy/old-login.js', 'package.json'),
    },
    { role: 'assistant', text: 'All 14 tests pass.' },
    { role: 'user', text: 'Good. Bring the assets, the scripts and the data up to date as well, and publish the package.' },
    {
      role: 'assistant',
      text: 'I regenerate them.',
      tools: [{ name: 'bash', summary: 'make assets', sideEffect: 'shell', wrote: null }],
      files: pick(fakes, ...rest, ...(fakes.has(PHOTO) ? ['package.json'] : [])),
    },
    {
      role: 'assistant',
      text: 'Published.',
      tools: [
        {
          name: 'bash',
          summary: 'npm publish --access public --registry https://registry.example.org --tag next',
          sideEffect: 'network',
          wrote: null,
        },
        { name: 'mcp__linear__create_comment', summary: '{"issue":"SHOP-12","body":"Published 1.1.0"}', sideEffect: 'mcp' },
      ],
      files: [],
    },
    { role: 'assistant', text: 'Version 1.1.0 is out.' },
    { role: 'user', text: 'Rename the session module.' },
    {
      role: 'assistant',
      text: 'Renamed.',
      tools: [{ name: 'bash', summary: 'git mv session.ts store.ts', sideEffect: 'shell', wrote: null }],
      files: [],
    },
    { role: 'assistant', text: 'Done: the module is called `store.ts` now.' },
  ];
}

export function fakeView(fakes: Fakes, standing: boolean): ThreadView {
  const view = makeView(says(fakes));
  const lost = view.steps.at(-1);
  if (lost !== undefined) {
    lost.captured = reason('TREES_EQUAL', { files: 'session.ts, store.ts' });
    lost.files = [];
  }
  if (!standing) return view;
  const stop = 4;
  for (const message of view.messages) if ((message.stop ?? 0) > stop) message.hidden = { reason: 'reverted' };
  for (const step of view.steps) if ((step.stop ?? 0) > stop) step.hidden = { reason: 'reverted' };
  for (const turn of view.turns) if ((turn.firstStop ?? 0) >= stop) turn.hidden = { reason: 'reverted' };
  view.standing = { messageId: 'm4', stop, hidden: 8, files: [...fakes.keys()].slice(0, 6), now: null };
  view.can = { ...view.can, unrevert: true, undo: reason('REVERT_STANDS'), redo: reason('REVERT_STANDS') };
  return view;
}

/** The files of a range: of its steps, each path once. */
export function filesOf(view: ThreadView, range: Range, plan: Plan): FileChange[] {
  if (range.kind === 'plan')
    return plan.files.map(({ path, added, removed, binary }) => ({ path, change: 'modified', added, removed, binary }));
  const index = (id: string): number => view.steps.find((step) => step.id === id)?.index ?? 0;
  const steps = view.steps.filter((step) => {
    if (range.kind === 'turn') return step.turn === range.turn;
    if (range.kind === 'step') return step.id === range.step;
    if (range.kind === 'stops') return step.stop !== null && step.stop > range.from && step.stop <= (range.to ?? Number.POSITIVE_INFINITY);
    if (range.kind === 'since') return step.index > index(range.step);
    return step.index >= index(range.from) && step.index <= index(range.to);
  });
  const files = new Map(steps.flatMap((step) => (step.files ?? []).map((file) => [file.path, file] as const)));
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const planFile = (path: string, over: Partial<PlanFile> = {}): PlanFile => ({
  path,
  verb: 'restore',
  drift: false,
  choice: 'write',
  choices: ['write', 'keep'],
  why: null,
  added: 4,
  removed: 11,
  binary: false,
  ...over,
});

export function fakePlan(kind: TravelKind, stop: number | null, over: Partial<Plan> = {}): Plan {
  const lost = stop !== null && stop < 2;
  return {
    kind,
    target: { messageId: stop === null ? null : `m${stop}`, stop },
    scope: 'both',
    turns: [1, 2, 3],
    messages: stop === null ? 8 : 12 - stop,
    files: [
      planFile('app/src/features/authentication/login-form.tsx', {
        drift: true,
        choice: 'merge',
        choices: ['merge', 'keep', 'overwrite'],
        why: "It was changed since; the agent's changes go and the others stay.",
      }),
      planFile('app/src/features/authentication/session.ts', { verb: 'delete', added: 0, removed: 12 }),
      planFile('app/src/legacy/old-login.js', { verb: 'recreate', added: 31, removed: 0 }),
      planFile('assets/logo.png', { binary: true, added: null, removed: null }),
      planFile('data/eol.cpp', {
        drift: true,
        choice: 'keep',
        choices: ['keep', 'overwrite'],
        why: 'It was changed since, and your lines and the agent’s overlap.',
      }),
      planFile('package.json', { added: 1, removed: 2 }),
    ],
    sideEffects: [
      { turn: 1, tool: 'bash', summary: 'npm test -- login' },
      { turn: 2, tool: 'bash', summary: 'npm publish --access public --registry https://registry.example.org --tag next' },
      { turn: 2, tool: 'mcp__linear__create_comment', summary: '{"issue":"SHOP-12","body":"Published 1.1.0"}' },
    ],
    skipped: [
      { path: 'config/current', why: 'It is a link that leaves the workspace.' },
      { path: '.env.local', why: 'Snapshots leave out .env files.' },
    ],
    notes: ['HEAD moved since: main is at 4f1c2aa now. Commits stay as they are.'],
    refusal: lost ? reason('STOP_FIRST_MESSAGE') : null,
    fingerprint: 'f1',
    ...over,
  };
}

export const fakeHistory: HistoryEntry[] = [
  { id: 'e3', at: Date.now() - 4 * 60_000, kind: 'revert', target: 'message 4', files: 6, bytes: 48_213, can: true },
  { id: 'e2', at: Date.now() - 55 * 60_000, kind: 'unrevert', target: 'message 12', files: 2, bytes: 1_204, can: true },
  {
    id: 'e1',
    at: Date.now() - 26 * 3_600_000,
    kind: 'undo',
    target: 'before turn 3',
    files: 1,
    bytes: 310,
    can: reason('TREE_MISSING', { tree: '1f0c…' }),
  },
];

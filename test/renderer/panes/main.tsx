import '@fontsource-variable/inter/wght.css';
import '../../../renderer/theme/tokens.css';
import '../../../renderer/theme/base.css';
import { createRoot } from 'react-dom/client';
import { App } from '../../../renderer/app/app.tsx';
import { runCommand } from '../../../renderer/commands.ts';
import { appStore } from '../../../renderer/store/app-store.ts';
import { changesStore } from '../../../renderer/store/changes-store.ts';
import { cursorStore } from '../../../renderer/store/cursor-store.ts';
import { sessionStore } from '../../../renderer/store/session-store.ts';
import { startApp } from '../../../renderer/store/start.ts';
import { travelStore } from '../../../renderer/store/travel-store.ts';
import { applyTheme } from '../../../renderer/theme/theme.ts';
import { createClient } from '../../../shared/client.ts';
import type { LineRun, Output, Settings } from '../../../shared/contract.ts';
import { DEFAULT_SETTINGS } from '../../../shared/default-settings.ts';
import { reason } from '../../../shared/errors.ts';
import type { Hit } from '../../../shared/search.ts';
import { FakeHost, Refusal } from '../fake-host.ts';
import { onePoint } from './fake-files.ts';
import { fakeHistory, fakePlan, fakesOf, fakeView, filesOf } from './fake-thread.ts';

/** The scene: `theme`, `layout`, `many` (files), `looks`, `standing`, `stale` (the first run is refused), `host`, `leftovers`, `hold`, `paced`, `long` (an excerpt). */
const scene = new URLSearchParams(location.search);
const fakes = fakesOf(Number(scene.get('many') ?? 0), scene.has('looks'));
const themeOf = (named: string | null): Settings['theme'] => (named === 'dark' || named === 'contrast' ? named : 'light');
let view = fakeView(fakes, scene.has('standing'));
let settings: Settings = {
  ...DEFAULT_SETTINGS,
  theme: themeOf(scene.get('theme')),
  diffLayout: scene.get('layout') === 'inline' ? 'inline' : 'split',
  filesAs: scene.get('files') === 'list' ? 'list' : 'tree',
};
let stale = scene.has('stale');
/** With `hold`, heavy files come when the test calls `release()`. */
let release = (): void => {};
const released = new Promise<void>((done) => {
  release = done;
});
/** With `paced`, a travel goes to its next part when the test calls `goOn()`. */
let goOn = (): void => {};
const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Five travels, of which the limits let two go. */
function cleanPlanOf({ entries }: Settings['retention']): Output<'clean.preview'> {
  const goes = [0, 1].map((at) => ({
    entry: `e${at}`,
    thread: 'tanstack:t1',
    at: Date.UTC(2026, 7, 3 + at, 9, 41),
    kind: 'revert' as const,
    target: `message ${at + 3}`,
    files: at + 1,
    why: 'days' as const,
    frees: 600_000,
  }));
  return { use: { entries: 5, workspaces: 2, bytes: 3_500_000 }, goes: entries === null ? [] : goes, needed: 1, problems: [] };
}

/** A word deep in the output of the first tool of the thread. */
function deepHit(): Hit {
  const message = view.messages.find(({ tools }) => tools.length > 0);
  return {
    message: message?.id ?? '',
    stop: message?.stop ?? null,
    role: message?.role ?? 'assistant',
    turn: message?.turn ?? null,
    hidden: null,
    place: 'output',
    call: message?.tools[0]?.id ?? null,
    ...(scene.has('long')
      ? { excerpt: `…a word before it and one more zebra ${'and what comes after it '.repeat(6)} to its very end…`, at: 31 }
      : { excerpt: 'far below, a zebra crossed the road', at: 13 }),
    length: 5,
    words: [0],
    times: 2,
  };
}

const host = new FakeHost({
  'app.info': () => ({
    host: scene.get('host') === 'electron' ? 'electron' : 'browser',
    version: '0.1.0',
    platform: 'linux',
    home: '/home/ann',
    git: { version: 'git version 2.39.5' },
    open: view.head.id,
  }),
  'settings.get': () => settings,
  'settings.set': (change) => {
    settings = { ...settings, ...change } as Settings;
    return settings;
  },
  'threads.list': () => ({ threads: [view.head], problems: [] }),
  'thread.open': () => view,
  'thread.steps': () => view,
  'thread.close': () => ({}),
  'search.thread': ({ operation }) => {
    host.push('search.hits', { operation, hits: [deepHit()] });
    return { found: 1, more: false };
  },
  'search.threads': ({ operation }) => {
    host.push('search.found', { operation, head: view.head, hits: [deepHit()], found: 1 });
    return { threads: 1, found: 1, problems: [{ path: '/home/ann/broken.jsonl', message: 'It cannot be read.' }] };
  },
  'thread.message': ({ message }) => ({
    id: message,
    parts: [{ kind: 'text', text: view.messages.find((entry) => entry.id === message)?.excerpt ?? '' }],
  }),
  'diff.files': async ({ range }) => {
    await wait(20);
    return { files: filesOf(view, range, fakePlan('revert', 4)) };
  },
  async 'diff.file'({ path, anyway }) {
    if (anyway && scene.has('hold')) await released;
    await wait(10);
    const file = fakes.get(path);
    if (file === undefined) throw new Refusal(reason('TREE_MISSING', { tree: 'ab12' }));
    return anyway ? (file.anyway ?? file.diff) : file.diff;
  },
  'file.image': () => onePoint,
  // Lines of any file: the first two of step 3, the next from outside, the rest from before.
  'file.lines': async () => {
    if (scene.has('hold')) await released;
    const run = (from: number, count: number, who: LineRun['who'], step: string | null): LineRun => ({
      from,
      count,
      who,
      step,
      turn: step === null ? null : 1,
    });
    return { lines: 6, runs: [run(1, 2, 'step', 's3'), run(3, 1, 'you', null), run(4, 3, 'before', null)] };
  },
  'patch.text': ({ range, secrets: choice }) => {
    const files = filesOf(view, range, fakePlan('revert', 4));
    if (files.length === 0) throw new Refusal(reason('NO_FILES_IN_PATCH'));
    // With `secrets`, two of the files hold some, and stay out until they are let in.
    const secrets = scene.has('secrets')
      ? files.slice(0, 2).map(({ path }, at) => {
          const included = choice?.all === true || choice?.include.includes(path) === true;
          return { path, kinds: at === 0 ? ['API key', 'private key'] : ['.env file'], included };
        })
      : [];
    const out = new Set(secrets.filter(({ included }) => !included).map(({ path }) => path));
    const left = files.filter(({ path }) => !out.has(path));
    const text = left.map((file) => `diff --git a/${file.path} b/${file.path}\n`).join('');
    return { text, name: 'step-3.patch', files: left.length, secrets };
  },
  'patch.save': ({ path }) => ({ path: path ?? '/home/ann/step-3.patch', secrets: [] }),
  'settings.notice': () => ({ notice: null }),
  'git.check': ({ path }) => {
    if (!path.startsWith('/')) throw new Refusal(reason('GIT_PATH_REFUSED', { path, cause: 'it is not a full path' }));
    return { version: '2.50.1' };
  },
  'clean.preview': ({ retention }) => cleanPlanOf(retention ?? settings.retention),
  'clean.run': () => ({ dropped: 2, freed: 1_200_000, bytes: 2_300_000, waiting: 0 }),
  'forget.preview': () => ({ entries: 3, undoable: 2, bytes: 1_200_000, standing: scene.has('standing'), refusal: null }),
  'forget.run': () => ({}),
  'travel.preview': async ({ kind, stop, scope }) => {
    await wait(30);
    const busy = scene.has('busy') ? { refusal: reason('FOLDER_BUSY', { thread: '“Move the shop”' }) } : {};
    const plan = fakePlan(kind, stop, busy);
    if (scope === 'messages') return { ...plan, scope, files: [], skipped: [] };
    return { ...plan, scope };
  },
  async 'travel.run'({ operation, kind }) {
    if (stale) {
      stale = false;
      throw new Refusal(reason('PLAN_STALE', { path: 'package.json' }));
    }
    for (const [done, label] of scene.has('paced')
      ? ([
          [1, 'Keeping'],
          [4, 'Writing'],
        ] as const)
      : []) {
      host.push('progress', { operation, done, total: 6, label });
      await new Promise<void>((next) => {
        goOn = next;
      });
    }
    view = fakeView(fakes, kind === 'revert');
    const leftovers = scene.has('leftovers');
    return {
      entry: 'e9',
      message: 'Reverted to message 4. Files restored: 6.',
      log: 'appended',
      files: [
        { path: 'app/src/features/authentication/login-form.tsx', outcome: 'merged', why: null },
        ...(leftovers
          ? ([
              { path: 'data/eol.cpp', outcome: 'kept', why: 'You kept it as it is.' },
              { path: 'config/current', outcome: 'skipped', why: 'It is a link that leaves the workspace.' },
            ] as const)
          : []),
      ],
    };
  },
  'travel.history': () => ({ entries: fakeHistory }),
  'travel.interrupted': () => ({ travels: [] }),
  cancel: () => ({}),
});

appStore.subscribe((state) => applyTheme(state.settings.theme));
Object.assign(window, {
  stores: { appStore, changesStore, cursorStore, sessionStore, travelStore },
  runCommand,
  host,
  release: () => release(),
  goOn: () => goOn(),
});
void startApp(createClient(host), runCommand);

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);

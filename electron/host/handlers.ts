import path from 'node:path';
import type { AppInfo, Handlers } from '../../shared/contract.ts';
import { reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { Git } from '../snapshots/git.ts';
import { byteProgress } from './byte-progress.ts';
import { type Desk, previewView } from './desk.ts';
import { editableFile } from './editable.ts';
import type { Emit } from './emitter.ts';
import { listFolder } from './folder-list.ts';
import { withoutPaths } from './forgetting.ts';
import { checkGitPath } from './git-path.ts';
import type { HostPort } from './host-port.ts';
import type { OpenWatcher } from './opening.ts';
import type { Operations } from './operations.ts';
import { paced } from './paced.ts';
import { saveFile } from './save-file.ts';
import type { SettingsFile } from './settings.ts';
import { checkSettings } from './settings-check.ts';
import type { Upkeep } from './upkeep.ts';

export interface HandlerParts {
  desk: Desk;
  git: Git;
  settings: SettingsFile;
  upkeep: Upkeep;
  /** Travels: a host waits for them before it ends. */
  operations: Operations;
  /** Readings: a host that ends breaks them off. */
  lookups: Operations;
  port: HostPort;
  emit: Emit;
  version: string;
  home: string;
  /** The thread or path to open at start. */
  open: string | null;
}

async function appInfo({ port, git, version, home, open }: HandlerParts): Promise<AppInfo> {
  const found = await git.version().then(({ text }) => ({ version: text }), reasonOf);
  return { host: port.host, version, platform: process.platform, home, git: found, open };
}

/** The path of a workspace's file, for showing it: inside the workspace as text, else BAD_REQUEST. */
function insideOf(root: string, file: string): string {
  const full = path.resolve(root, file);
  if (full.startsWith(root + path.sep)) return full;
  throw new TurnbackError('BAD_REQUEST', { call: 'shell.reveal', cause: 'the path leaves the workspace' });
}

/** The workspace on this machine. NOT_SUPPORTED for one on another side, UNKNOWN_WORKSPACE or NO_WORKSPACE where there is none. */
async function rootHere(desk: Desk, thread: string, what: string): Promise<string> {
  const { root, head, side } = await desk.open(thread);
  if (side) throw new TurnbackError('NOT_SUPPORTED', { what, cause: 'it is not on this machine' });
  if (root !== null) return root;
  throw head.root === null ? new TurnbackError('UNKNOWN_WORKSPACE') : new TurnbackError('NO_WORKSPACE', { path: head.root });
}

/** The link as the system's browser gets it. LINK_REFUSED for anything but http and https. */
function webLink(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.href;
  throw new TurnbackError('LINK_REFUSED', { url: url.slice(0, 200) });
}

/** The text of a patch. PATCH_NOT_TEXT when decoding would change it. */
function patchText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TurnbackError('PATCH_NOT_TEXT');
  }
}

/** One handler for each call of the contract, the same in both hosts. What a host does its own way is in its port. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { desk, settings, upkeep, operations, lookups, port, emit } = parts;
  const looking = <T>(operation: string | null, work: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> =>
    operation === null ? work(undefined) : lookups.run(operation, work);
  const watcherOf = (operation: string, thread: string, signal: AbortSignal | undefined): OpenWatcher => ({
    signal,
    onBytes: byteProgress(emit, operation, 'Reading the log'),
    onPreview: (preview) => {
      const { from, size } = preview;
      emit('thread.preview', { operation, thread, view: previewView(preview), from, size });
    },
  });
  return {
    'app.info': () => appInfo(parts),
    'settings.get': () => settings.get(),
    'settings.notice': async () => ({ notice: await settings.notice() }),
    async 'settings.set'(change) {
      await checkSettings(change);
      return settings.set(change);
    },
    'git.check': async ({ path: file }) => ({ version: await checkGitPath(file) }),
    'threads.list': () => desk.list(),
    'threads.locate': async (input) => ({ threads: await desk.locate(input.path) }),
    async 'threads.relocate'({ threads, root }) {
      await desk.relocate(threads, root);
      return {};
    },
    'sample.make': () => desk.makeSample(),
    'thread.open': ({ thread, root, data, operation }) =>
      looking(operation, async (signal) => {
        const watcher = operation === null ? {} : watcherOf(operation, thread, signal);
        const opened = await desk.open(thread, { root, data }, watcher);
        port.rememberDocument?.(opened.head.log);
        return desk.stamped(await desk.view(opened.head.id));
      }),
    'thread.steps': ({ thread, operation }) => looking(operation, async (signal) => desk.stamped(await desk.viewWithSteps(thread, signal))),
    'thread.changes': ({ thread, version, steps, operation }) =>
      looking(operation, (signal) => desk.changes(thread, version, steps, signal)),
    'search.thread': ({ thread, operation, words }) =>
      lookups.run(operation, (signal) =>
        desk.search(thread, words, {
          signal,
          onBytes: byteProgress(emit, operation, 'Searching the log'),
          onHits: (hits) => emit('search.hits', { operation, hits }),
        }),
      ),
    'search.threads': ({ operation, words }) =>
      lookups.run(operation, (signal) =>
        desk.searchAll(words, {
          signal,
          onThreads: (done, total, label) => emit('progress', { operation, done, total, label }),
          onFound: (found) => emit('search.found', { operation, ...found }),
        }),
      ),
    'thread.message': ({ thread, message }) => desk.body(thread, message),
    async 'thread.close'({ thread }) {
      await desk.close(thread);
      return {};
    },
    'diff.files': async ({ thread, range }) => ({ files: await desk.filesOf(thread, range) }),
    'diff.file': (input) => desk.fileDiff(input.thread, input.range, input.path, input.anyway),
    'file.image': ({ thread, range, path: file, side }) => desk.image(thread, range, file, side),
    'file.lines': ({ thread, operation, path: file, at }) =>
      lookups.run(operation, async (signal) => {
        const { text, runs } = await desk.lines(thread, file, at, signal);
        return { lines: text.length, runs };
      }),
    async 'patch.text'({ thread, range, file, secrets: choice }) {
      const { bytes, name, files, secrets } = await desk.patch(thread, range, file, choice);
      return { text: patchText(bytes), name, files, secrets };
    },
    async 'patch.save'({ thread, range, path: typed, file, secrets: choice }) {
      const { bytes, name, files, secrets } = await desk.patch(thread, range, file, choice);
      if (files === 0) throw new TurnbackError('PATCH_ALL_SECRET');
      const target = await port.chooseSave(name, typed);
      if (target === null) return null;
      await saveFile(target, bytes);
      return { path: target.path, secrets };
    },
    'travel.preview': ({ thread, kind, stop, entry, scope, piece }) => desk.preview(thread, { kind, stop, entry, scope, piece }),
    'travel.file': ({ thread, kind, stop, entry, scope, piece, path: file, choice, anyway }) =>
      desk.travelFile(thread, { kind, stop, entry, scope, piece }, { path: file, choice, anyway }),
    'travel.hunks': ({ thread, step, path: file }) => desk.hunks(thread, step, file),
    'travel.run': ({ thread, operation, kind, stop, entry, scope, piece, drift, choices, fingerprint, evenBusy }) =>
      operations.run(operation, (signal) =>
        desk
          .run(
            thread,
            { kind, stop, entry, scope, piece },
            {
              drift,
              choices,
              fingerprint,
              evenBusy,
              signal,
              onProgress: paced((done, total, label) => emit('progress', { operation, done, total, label })),
            },
          )
          .finally(() => void upkeep.soon(true)),
      ),
    'travel.history': async ({ thread }) => ({ entries: await desk.history(thread) }),
    'clean.preview': ({ retention }) => upkeep.preview(retention),
    'clean.run': () => upkeep.clean(),
    'forget.preview': ({ thread }) => desk.forgetPreview(thread),
    async 'forget.run'({ thread, evenStanding }) {
      const gone = await desk.forget(thread, evenStanding);
      const { recent } = await settings.get();
      await settings.set({ recent: withoutPaths(recent, gone) });
      // The system cannot drop a single one.
      port.forgetDocuments?.();
      return {};
    },
    'travel.interrupted': async () => ({ travels: await desk.interrupted() }),
    'travel.recover': ({ entry, how }) => desk.recover(entry, how),
    async cancel({ operation }) {
      operations.cancel(operation);
      lookups.cancel(operation);
      return {};
    },
    'dialog.open': ({ what }) => port.chooseOpen(what),
    'folder.list': (input) => listFolder(input.path ?? parts.home),
    async 'menu.set'({ commands }) {
      port.showMenu?.(commands);
      return {};
    },
    async 'clipboard.write'({ text }) {
      await port.writeClipboard(text);
      return {};
    },
    async 'shell.reveal'({ thread, path: file }) {
      await port.reveal(insideOf(await rootHere(desk, thread, 'Showing a file in its folder'), file));
      return {};
    },
    async 'shell.edit'({ thread, path: file }) {
      const root = await rootHere(desk, thread, 'Opening a file');
      // In a browser the refusal comes first: it says nothing about the file.
      await port.edit(port.host === 'browser' ? '' : await editableFile(root, file));
      return {};
    },
    async 'shell.link'({ url }) {
      await port.openLink(webLink(url));
      return {};
    },
  };
}

import path from 'node:path';
import type { AppInfo, Handlers } from '../../shared/contract.ts';
import { reasonOf, TurnbackError } from '../../shared/errors.ts';
import type { Git } from '../snapshots/git.ts';
import type { Desk } from './desk.ts';
import type { Emit } from './emitter.ts';
import { listFolder } from './folder-list.ts';
import { checkGitPath } from './git-path.ts';
import type { HostPort } from './host-port.ts';
import type { Operations } from './operations.ts';
import { saveFile } from './save-file.ts';
import type { SettingsFile } from './settings.ts';
import { checkSettings } from './settings-check.ts';

export interface HandlerParts {
  desk: Desk;
  git: Git;
  settings: SettingsFile;
  operations: Operations;
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
  const { desk, settings, operations, port, emit } = parts;
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
    'sample.make': () => desk.makeSample(),
    async 'thread.open'({ thread, root, data }) {
      const opened = await desk.open(thread, { root, data });
      return desk.view(opened.head.id);
    },
    'thread.steps': ({ thread }) => desk.viewWithSteps(thread),
    'thread.message': ({ thread, message }) => desk.body(thread, message),
    async 'thread.close'({ thread }) {
      await desk.close(thread);
      return {};
    },
    'diff.files': async ({ thread, range }) => ({ files: await desk.filesOf(thread, range) }),
    'diff.file': (input) => desk.fileDiff(input.thread, input.range, input.path, input.anyway),
    async 'patch.text'({ thread, range, file }) {
      const { bytes, name, files } = await desk.patch(thread, range, file);
      return { text: patchText(bytes), name, files };
    },
    async 'patch.save'({ thread, range, path: typed, file }) {
      const { bytes, name } = await desk.patch(thread, range, file);
      const target = await port.chooseSave(name, typed);
      if (target === null) return null;
      await saveFile(target, bytes);
      return { path: target.path };
    },
    'travel.preview': ({ thread, kind, stop, entry, scope }) => desk.preview(thread, { kind, stop, entry, scope }),
    'travel.run': ({ thread, operation, kind, stop, entry, scope, drift, choices, fingerprint }) =>
      operations.run(operation, (signal) =>
        desk.run(
          thread,
          { kind, stop, entry, scope },
          {
            drift,
            choices,
            fingerprint,
            signal,
            onProgress: (done, total, label) => emit('progress', { operation, done, total, label }),
          },
        ),
      ),
    'travel.history': async ({ thread }) => ({ entries: await desk.history(thread) }),
    'travel.interrupted': async () => ({ travels: await desk.interrupted() }),
    'travel.recover': ({ entry, how }) => desk.recover(entry, how),
    async cancel({ operation }) {
      operations.cancel(operation);
      return {};
    },
    'dialog.open': ({ what }) => port.chooseOpen(what),
    'folder.list': (input) => listFolder(input.path ?? parts.home),
    async 'clipboard.write'({ text }) {
      await port.writeClipboard(text);
      return {};
    },
    async 'shell.reveal'({ thread, path: file }) {
      const { root, head, side } = await desk.open(thread);
      if (side) throw new TurnbackError('NOT_SUPPORTED', { what: 'Showing a file in its folder', cause: 'it is not on this machine' });
      if (root === null)
        throw head.root === null ? new TurnbackError('UNKNOWN_WORKSPACE') : new TurnbackError('NO_WORKSPACE', { path: head.root });
      await port.reveal(insideOf(root, file));
      return {};
    },
    async 'shell.link'({ url }) {
      await port.openLink(webLink(url));
      return {};
    },
  };
}

import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import type { HostPort } from './host-port.ts';

const refuse = async (what: string): Promise<never> => {
  throw new TurnbackError('NOT_AVAILABLE_HERE', { what });
};

/** A browser page has its own clipboard and links, and no native dialogs: a path is typed or picked in the page. */
export const browserPort: HostPort = {
  host: 'browser',
  chooseOpen: () => refuse('A native open dialog'),
  async chooseSave(_name, typed) {
    if (typed === null) return refuse('A native save dialog');
    if (!path.isAbsolute(typed)) throw new TurnbackError('SAVE_FAILED', { path: typed, cause: 'it is not a full path' });
    return { path: path.normalize(typed), replace: false };
  },
  writeClipboard: () => refuse('The clipboard of this machine'),
  reveal: () => refuse('The file manager of this machine'),
  edit: () => refuse('An editor of this machine'),
  openLink: () => refuse('A browser on this machine'),
};

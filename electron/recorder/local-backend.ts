import { captureWorkspace } from '../snapshots/capture.ts';
import { createGit, type Git } from '../snapshots/git.ts';
import type { Backend } from './backend.ts';
import { ownFiles } from './own-files.ts';
import { isFolderHere, putBackHere } from './put-back.ts';

/** The workspace, its snapshots and git on this machine. */
export function localBackend(options: { git?: Git } = {}): Backend {
  return {
    ...ownFiles,
    git: options.git ?? createGit(),
    name: null,
    isFolder: isFolderHere,
    capture: ({ store, ...rest }) => captureWorkspace(store, rest),
    putBack: putBackHere,
  };
}

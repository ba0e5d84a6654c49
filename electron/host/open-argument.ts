import path from 'node:path';

/** What to open, as it means the same in every folder: a thread's id stays, a path becomes absolute. */
export function openTarget(named: string, cwd: string): string {
  return /^[a-z-]+:[^\\/]/.test(named) ? named : path.resolve(cwd, named);
}

/** The path or thread that the app's command line names, null when it names none. Options, also those Chromium adds, are passed over. */
export function openArgument(argv: readonly string[], packaged: boolean, cwd: string): string | null {
  // `electron APP PATH` while developing, `turnback PATH` when packaged.
  const named = argv.slice(packaged ? 1 : 2).find((argument) => argument !== '' && !argument.startsWith('-'));
  return named === undefined ? null : openTarget(named, cwd);
}

import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { editableFile } from '../../electron/host/editable.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const refusal = (root: string, file: string, platform?: NodeJS.Platform): Promise<string> =>
  editableFile(root, file, platform).then(
    (real) => `opened ${real}`,
    (thrown: Error) => thrown.message,
  );

test('a text file of the workspace is opened by its real path, whatever its name means to a shell', async () => {
  const root = await tempFolder();
  await writeFiles(root, { 'src/a b;$(x).ts': 'a\n', Makefile: 'all:\n', 'notes.md': '', 'deep.v1/readme': 'x' });
  for (const name of ['src/a b;$(x).ts', 'Makefile', 'notes.md', 'deep.v1/readme'])
    expect(await editableFile(root, name)).toBe(path.join(root, name));
});

test.each(['run.exe', 'a.desktop', 'b.LNK', 'c.AppImage', 'd.url', 'page.html', 'e.bat', 'f.command', 'g.svg', 'trick.cmd. .', 'h.jar'])(
  '%s is never opened',
  async (name) => {
    const root = await tempFolder();
    await writeFiles(root, { [name]: 'text\n' });
    expect(await refusal(root, name)).toMatch(
      / is not opened from here\. Cause: the system may run a \.[a-z]+ file instead of showing it\. /,
    );
  },
);

test('a script is opened where the system shows it, and refused where the system runs it', async () => {
  const root = await tempFolder();
  await writeFiles(root, { 'a.js': 'x\n', 'b.py': 'x\n', 'c.ps1': 'x\n', 'd.txt': '#!/bin/sh\n' });
  const opens = async (platform: NodeJS.Platform) =>
    Promise.all(['a.js', 'b.py', 'c.ps1', 'd.txt'].map(async (name) => (await refusal(root, name, platform)).startsWith('opened ')));
  expect(await opens('linux')).toEqual([true, true, true, true]);
  expect(await opens('darwin')).toEqual([true, false, true, false]);
  expect(await opens('win32')).toEqual([false, false, false, false]);
});

test('links, folders, executables, binaries and what lies outside are refused with the cause', async () => {
  const root = await tempFolder();
  const outside = await tempFolder();
  await writeFiles(outside, { 'secret.txt': 's' });
  await writeFiles(root, { 'tool.txt': 'x', 'bin.dat': new Uint8Array([1, 0, 2]), 'real.txt': 'r', '.git/config': '[core]' });
  await chmod(path.join(root, 'tool.txt'), 0o755);
  await symlink(path.join(outside, 'secret.txt'), path.join(root, 'link.txt'));
  await symlink(outside, path.join(root, 'away'));
  await mkdir(path.join(root, 'folder'));
  const cause = async (name: string) => /Cause: (.*?)\. Show/.exec(await refusal(root, name, 'linux'))?.[1];
  expect(await cause('tool.txt')).toBe('it is executable');
  expect(await cause('bin.dat')).toBe('it is no text');
  expect(await cause('link.txt')).toBe('it is a link');
  expect(await cause('away/secret.txt')).toBe('Its folder away is a link');
  expect(await cause('folder')).toBe('it is not a file');
  expect(await cause('missing.txt')).toBe('nothing that can be read is there now');
  expect(await cause('../x.txt')).toBe('The path is not one of a file below the workspace');
  expect(await cause('.git/config')).toBe("The path lies in a repository's own folder");
});

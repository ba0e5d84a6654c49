import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { applyCheck, headOf } from '../../electron/snapshots/workspace-repo.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Lab, makeLab } from './lab.ts';

async function committed(): Promise<{ lab: Lab; commit: string }> {
  const lab = await makeLab();
  lab.plain(['init', '-q', '-b', 'main', '.']);
  await writeFiles(lab.root, { 'frontend/app.ts': 'v1\n' });
  lab.plain(['add', '-A']);
  lab.plain(['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-q', '-m', 'init']);
  return { lab, commit: lab.plain(['rev-parse', 'HEAD']).toString().trim() };
}

describe("where the user's repository stands", () => {
  it('is branch and commit, from any folder of it and through a link (cases C-04)', async () => {
    const { lab, commit } = await committed();
    await symlink('ws', path.join(lab.folder, 'alias'));
    const before = await manifest(path.join(lab.root, '.git'), { mtimes: true });
    for (const root of [lab.root, path.join(lab.root, 'frontend'), path.join(lab.folder, 'alias')])
      expect(await headOf(root)).toEqual({ branch: 'main', commit });
    expect(await manifest(path.join(lab.root, '.git'), { mtimes: true })).toEqual(before);
  });

  it('follows a switch, a detached HEAD, packed refs and a worktree', async () => {
    const { lab, commit } = await committed();
    lab.plain(['switch', '-q', '-c', 'feature/ü']);
    expect(await headOf(lab.root)).toEqual({ branch: 'feature/ü', commit });
    lab.plain(['pack-refs', '--all']);
    expect(await headOf(lab.root)).toEqual({ branch: 'feature/ü', commit });
    lab.plain(['switch', '-q', '--detach']);
    expect(await headOf(lab.root)).toEqual({ branch: null, commit });
    lab.plain(['worktree', 'add', '-q', '../second', 'main']);
    expect(await headOf(path.join(lab.folder, 'second'))).toEqual({ branch: 'main', commit });
  });

  it('has no commit before the first, and is null outside any repository', async () => {
    const lab = await makeLab();
    expect(await headOf(lab.root)).toBeNull();
    lab.plain(['init', '-q', '-b', 'trunk', '.']);
    expect(await headOf(lab.root)).toEqual({ branch: 'trunk', commit: null });
    expect(await headOf(path.join(lab.folder, 'nowhere'))).toBeNull();
  });

  it('is a reason where there is no git, and no answer where the folder cannot be looked at', async () => {
    const { lab } = await committed();
    vi.stubEnv('PATH', lab.folder);
    try {
      await expect(headOf(lab.root)).rejects.toMatchObject({ code: 'NO_GIT' });
    } finally {
      vi.unstubAllEnvs();
    }
    await expect(headOf(path.join(lab.root, 'x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  it('is a failure, not nothing, when git will not read it', async () => {
    const { lab } = await committed();
    await writeFile(path.join(lab.root, '.git', 'config'), '[core\n');
    await expect(headOf(lab.root)).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('bad config line 1') });
    await rm(path.join(lab.root, '.git'), { recursive: true });
    await mkdir(path.join(lab.root, '.git'));
    await expect(headOf(lab.root)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });
});

describe('a check of a patch', () => {
  it("says yes or gives git's words, and changes nothing", async () => {
    const { lab } = await committed();
    await writeFiles(lab.root, { 'frontend/app.ts': 'v2\n' });
    const patch = path.join(lab.folder, 'a b.patch');
    await writeFile(patch, lab.plain(['diff']));
    const before = await manifest(lab.root, { mtimes: true });
    expect(await applyCheck(lab.git, lab.root, patch)).toMatch(/frontend\/app\.ts/);
    expect(await manifest(lab.root, { mtimes: true })).toEqual(before);
    await writeFiles(lab.root, { 'frontend/app.ts': 'v1\n' });
    expect(await applyCheck(lab.git, lab.root, patch)).toBe(true);
    expect(await applyCheck(lab.git, lab.root, path.join(lab.folder, 'nope.patch'))).toMatch(/nope/);
  });
});

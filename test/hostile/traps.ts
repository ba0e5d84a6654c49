import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Settings by which git runs a program. `%` stands for a command that leaves a mark and passes its input on. */
const KEYS: Readonly<Record<string, string>> = {
  'core.fsmonitor': '%',
  'core.editor': '%',
  'core.sshCommand': '%',
  'core.askPass': '*',
  'core.gitProxy': '*',
  'core.pager': '%',
  'core.alternateRefsCommand': '%',
  'diff.external': '%',
  'diff.x.command': '%',
  'diff.x.textconv': '%',
  'filter.x.clean': '%',
  'filter.x.smudge': '%',
  'filter.p.process': '%',
  'merge.x.driver': '%',
  'mergetool.x.cmd': '%',
  'difftool.x.cmd': '%',
  'interactive.diffFilter': '%',
  'sequence.editor': '%',
  'credential.helper': '!%',
  'gpg.program': '*',
  'gpg.ssh.program': '*',
  'alias.zz': '!%',
  'alias.diff-tree': '!%',
  'pager.diff': '%',
  'pager.log': '%',
  'uploadpack.packObjectsHook': '*',
  'remote.up.uploadpack': '%',
  'remote.up.receivepack': '%',
  'trailer.x.command': '%',
  'trailer.y.cmd': '%',
  'browser.x.cmd': '%',
  'man.x.cmd': '%',
  'submodule.nested.update': '!%',
};

const HOOKS = [
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'reference-transaction',
  'push-to-checkout',
  'pre-auto-gc',
  'post-rewrite',
  'sendemail-validate',
  'fsmonitor-watchman',
  'post-index-change',
] as const;

/** Programs that git starts leave a mark here: an empty file named `<place>.<what>`. */
export class Traps {
  readonly folder: string;
  readonly marks: string;

  constructor(folder: string) {
    this.folder = path.join(folder, 'traps');
    this.marks = path.join(this.folder, 'marks');
    mkdirSync(this.marks, { recursive: true });
  }

  /** How many ways there are to be caught in one place. */
  static readonly count = Object.keys(KEYS).length + HOOKS.length;

  /** What ran since the last time. */
  sprung(): string[] {
    const names = readdirSync(this.marks).sort();
    for (const name of names) rmSync(path.join(this.marks, name));
    return names;
  }

  #script(place: string, what: string): string {
    const file = path.join(this.folder, place, what);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n: > '${this.marks}/${place}.${what}'\nexit 1\n`, { mode: 0o755 });
    return file;
  }

  /** The text of a config file that names a program in every setting that takes one. */
  config(place: string): string {
    const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
    const lines = Object.entries(KEYS).map(([key, form]) => {
      const command = `: > '${this.marks}/${place}.${key}'; cat`;
      const value = form === '*' ? this.#script(place, key) : form.replace('%', () => command);
      const parts = key.split('.');
      const section = parts.length === 2 ? parts[0] : `${parts[0]} "${parts.slice(1, -1).join('.')}"`;
      return `[${section}]\n\t${parts.at(-1)} = ${quoted(value)}\n`;
    });
    const included = path.join(this.folder, `${place}-included`);
    writeFileSync(included, `[alias]\n\tyy = "!: > '${this.marks}/${place}.include.path'"\n`);
    const template = path.join(this.folder, `${place}-template`);
    mkdirSync(path.join(template, 'hooks'), { recursive: true });
    writeFileSync(path.join(template, 'hooks', 'pre-commit'), `#!/bin/sh\n: > '${this.marks}/${place}.init.templateDir'\n`, {
      mode: 0o755,
    });
    return `${lines.join('')}[include]\n\tpath = ${included}\n[init]\n\ttemplateDir = ${template}\n${SETTINGS(`${this.marks}/${place}`)}`;
  }

  /** Every hook, in a folder of hooks. */
  hooks(folder: string, place: string): void {
    mkdirSync(folder, { recursive: true });
    for (const hook of HOOKS) {
      writeFileSync(path.join(folder, hook), `#!/bin/sh\n: > '${this.marks}/${place}.hook.${hook}'\nexit 0\n`, { mode: 0o755 });
    }
  }
}

/** What makes git use the settings above. */
const SETTINGS = (mark: string): string => `[merge]
	tool = x
[diff]
	tool = x
[man]
	viewer = x
[trailer "x"]
	key = x
	ifmissing = add
[trailer "y"]
	key = y
	ifmissing = add
[gc]
	auto = 1
	autoDetach = false
[protocol "ext"]
	allow = always
[protocol "file"]
	allow = always
[remote "lazy"]
	url = ext::sh -c "touch% ${mark}.lazy-fetch"
	promisor = true
[extensions]
	partialClone = lazy
[receive]
	procReceiveRefs = refs/heads/proc
`;

/** A repository in which a person falls into the traps, one act after the other. `config` and `hooks` come from {@link Traps}. */
export function provoke(folder: string, env: Readonly<Record<string, string>>, config: string, hooks: (folder: string) => void): void {
  const repo = path.join(folder, 'provoked');
  const bare = path.join(folder, 'provoked-bare.git');
  mkdirSync(repo, { recursive: true });
  const quiet = {
    ...env,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@x',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@x',
    TERM: 'xterm',
  };
  const sh = (script: string, own: Readonly<Record<string, string>>, cwd = repo): void => {
    spawnSync('sh', ['-c', script], { cwd, env: { ...own }, stdio: ['ignore', 'ignore', 'ignore'], timeout: 60_000 });
  };
  sh(
    `git init -q -b main . && git init -q --bare '${bare}' && printf '*.txt filter=x diff=x merge=x\\n*.proc filter=p\\n' > .gitattributes &&
     echo 1 > a.txt && echo 1 > b.md && echo 1 > c.proc && git add -A && git commit -qm one && git branch clean && git checkout -qb other && echo 2 > a.txt && git commit -qam two &&
     git format-patch -1 -q -o '${folder}/patches' && git checkout -q main && echo 3 > a.txt && git commit -qam three && git checkout -q clean && echo n > new && git add new && git commit -qm new && git checkout -q main &&
     git push -q '${bare}' main:main`,
    quiet,
  );
  const global = path.join(folder, 'provoked-config');
  writeFileSync(global, config);
  writeFileSync(
    path.join(repo, '.git', 'config'),
    `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[remote "up"]\n\turl = ${bare}\n${config}`,
  );
  hooks(path.join(repo, '.git', 'hooks'));
  hooks(path.join(bare, 'hooks'));
  const loud = { ...quiet, GIT_CONFIG_GLOBAL: global, GIT_TERMINAL_PROMPT: '0' };
  sh(
    `git status; echo 4 > a.txt; echo 4 > b.md; echo 4 > c.proc; git diff; git diff --no-ext-diff; git add a.txt; git add c.proc
     printf 'y\\n' | git -c color.interactive=always -c core.fsmonitor=false add -p b.md
     git commit; git commit -qm four; git commit -qS -m five --allow-empty; git -c gpg.format=ssh -c user.signingkey=k commit -qS -m six --allow-empty
     git commit -q --amend -m seven; git stash -q; git checkout -q other -- a.txt; git reset -q --hard; git checkout -q other; git merge main; git mergetool -y; git reset -q --hard
     git difftool -y HEAD~1; git merge --no-ff -m m clean; git rebase -i HEAD~1; git rebase --abort; git am '${folder}'/patches/*; git am --abort
     git zz; git yy; git fetch ssh://h/x; git fetch git://h/x; printf 'protocol=https\\nhost=h\\n\\n' | git credential fill
     git -c credential.helper= credential fill < /dev/null; printf 'protocol=https\\nhost=h\\n\\n' | git -c credential.helper= credential fill
     git fetch up; git push up HEAD:refs/heads/x; git push '${bare}' HEAD:refs/heads/y; git push --receive-pack=git-receive-pack '${bare}' +HEAD:main HEAD:refs/heads/proc
     printf 'subject\\n\\nbody\\n' | git interpret-trailers --trailer x=1 --trailer y=2; git web--browse --tool=x http://x.example; git help -m log
     git cat-file -p ${'1'.repeat(40)}; git gc --auto; git clone -q --no-local . '${folder}/provoked-clone'
     git init -q '${folder}/provoked-init' && cd '${folder}/provoked-init' && git commit -q --allow-empty -m x`,
    loud,
  );
  sh('for f in 1 2 3 4 5 6 7 8 9; do echo $f > am; git checkout -q -b t$f clean; git am -q ../patches/*; done', loud);
}

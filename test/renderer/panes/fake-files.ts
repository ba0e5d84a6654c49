import type { FileDiff, FileImage, FileSide } from '../../../shared/contract.ts';
import { reason } from '../../../shared/errors.ts';
import type { FileChange } from '../../../shared/model.ts';

export interface FakeFile {
  change: FileChange;
  diff: FileDiff;
  /** What *Load anyway* gives. */
  anyway?: FileDiff;
}

const eolOf = (text: string): FileSide['eol'] => {
  const crlf = (text.match(/\r\n/g) ?? []).length;
  const lf = (text.match(/\n/g) ?? []).length;
  if (lf === 0) return 'none';
  return crlf === 0 ? 'lf' : crlf === lf ? 'crlf' : 'mixed';
};

export const side = (text: string, rest: Partial<FileSide> = {}): FileSide => ({
  kind: 'file',
  executable: false,
  bytes: new TextEncoder().encode(text).length,
  text,
  binary: false,
  tooLarge: false,
  encoding: 'utf-8',
  eol: eolOf(text),
  head: null,
  ...rest,
});

export function textFile(path: string, before: string | null, after: string | null, counts: { added: number; removed: number }): FakeFile {
  return {
    change: { path, change: before === null ? 'created' : after === null ? 'deleted' : 'modified', binary: false, ...counts },
    diff: { path, before: before === null ? null : side(before), after: after === null ? null : side(after), eolOnly: false },
  };
}

/** A file over the engine's limit of lines: its text comes only on *anyway*. */
function heavyFile(path: string, before: string, after: string, counts: { added: number; removed: number }): FakeFile {
  const whole = textFile(path, before, after, counts);
  const without = (text: string): FileSide => side(text, { text: null, tooLarge: true });
  return { change: whole.change, diff: { path, before: without(before), after: without(after), eolOnly: false }, anyway: whole.diff };
}

const numbered = (count: number, word: string): string => Array.from({ length: count }, (_, at) => `${word} ${at * 31}`).join('\n');

const LOGIN_BEFORE = `import { useState } from 'react';
import { api } from './api';

interface Props {
  onDone(user: string): void;
}

/** The form that people see first. */
export function LoginForm({ onDone }: Props) {
  const [name, setName] = useState('');
  const [word, setWord] = useState('');
  const [busy, setBusy] = useState(false);

  async function submit() {
    setBusy(true);
    const user = await api.login(name, word);
    setBusy(false);
    onDone(user);
  }

${numbered(40, '  // unchanged line')}

  return (
    <form onSubmit={submit}>
      <input value={name} onChange={(event) => setName(event.target.value)} />
      <input value={word} onChange={(event) => setWord(event.target.value)} />
      <button disabled={busy}>Log in</button>
    </form>
  );
}
`;

const LOGIN_AFTER = LOGIN_BEFORE.replace(
  `    const user = await api.login(name, word);
    setBusy(false);
    onDone(user);`,
  `    try {
      const user = await api.login(name.trim(), word);
      onDone(user);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }`,
)
  .replace(
    `  const [busy, setBusy] = useState(false);`,
    `  const [busy, setBusy] = useState(false);\n  const [failed, setFailed] = useState<string | null>(null);`,
  )
  .replace(
    `<input value={word} onChange={(event) => setWord(event.target.value)} />`,
    `<input type="password" value={word} onChange={(event) => setWord(event.target.value)} />`,
  );

const CRLF = `${numbered(300, 'value')}\n`.replace(/\n/g, '\r\n');

/** One file of each kind that the diff pane knows. */
export function everyKind(): FakeFile[] {
  const big = `${numbered(60_000, 'line')}\n`;
  const reversed = `${numbered(60_000, 'line').split('\n').reverse().join('\n')}\n`;
  const sparse = `${numbered(100_000, 'line')}\n`;
  const min = `var a=[${'"k123456789",'.repeat(430_000)}0]`;
  return [
    textFile('app/src/features/authentication/login-form.tsx', LOGIN_BEFORE, LOGIN_AFTER, { added: 11, removed: 4 }),
    textFile('app/src/features/authentication/session.ts', null, `export const session = { user: null as string | null };\n`.repeat(12), {
      added: 12,
      removed: 0,
    }),
    textFile('app/src/legacy/old-login.js', `// gone\n${numbered(30, 'const old =')}\n`, null, { added: 0, removed: 31 }),
    {
      change: { path: 'assets/logo.png', change: 'modified', added: null, removed: null, binary: true },
      diff: {
        path: 'assets/logo.png',
        before: side('', {
          binary: true,
          text: null,
          encoding: 'binary',
          bytes: 14_201,
          head: '89504e470d0a1a0a0000000d4948445200000040000000400806000000aa6971de',
        }),
        after: side('', {
          binary: true,
          text: null,
          encoding: 'binary',
          bytes: 18_733,
          head: '89504e470d0a1a0a0000000d494844520000008000000080080600000031b2c3d4',
        }),
        eolOnly: false,
      },
    },
    {
      change: { path: 'bin/run.sh', change: 'mode', added: 0, removed: 0, binary: false },
      diff: { path: 'bin/run.sh', before: side('#!/bin/sh\n'), after: side('#!/bin/sh\n', { executable: true }), eolOnly: false },
    },
    {
      change: { path: 'config/current', change: 'modified', added: 1, removed: 1, binary: false },
      diff: {
        path: 'config/current',
        before: side('staging.json', { kind: 'link' }),
        after: side('production.json', { kind: 'link' }),
        eolOnly: false,
      },
    },
    {
      change: { path: 'data/eol-only.csv', change: 'modified', added: 300, removed: 300, binary: false },
      diff: { path: 'data/eol-only.csv', before: side(CRLF.replace(/\r/g, '')), after: side(CRLF), eolOnly: true },
    },
    {
      change: { path: 'data/eol.cpp', change: 'modified', added: 300, removed: 300, binary: false },
      diff: {
        path: 'data/eol.cpp',
        before: side(CRLF),
        after: side(CRLF.replace(/\r/g, '').replace('value 3100\n', 'only real change\n')),
        eolOnly: false,
      },
    },
    {
      change: { path: 'data/kind', change: 'kind', added: 1, removed: 2, binary: false },
      diff: { path: 'data/kind', before: side('a\nb\n'), after: side('../elsewhere', { kind: 'link' }), eolOnly: false },
    },
    heavyFile('data/big.txt', big, reversed, { added: 59_999, removed: 59_999 }),
    heavyFile('data/long-sparse.log', sparse, sparse.replace('line 310000\n', 'a change here\nand there\n').replace('line 1550000\n', ''), {
      added: 2,
      removed: 2,
    }),
    {
      change: { path: 'data/min.js', change: 'modified', added: 1, removed: 1, binary: false },
      diff: {
        path: 'data/min.js',
        before: side(min, { text: null, tooLarge: true }),
        after: side(min, { text: null, tooLarge: true }),
        eolOnly: false,
      },
      anyway: { path: 'data/min.js', before: side(min), after: side(min.split('').reverse().join('')), eolOnly: false },
    },
    {
      change: { path: 'docs/notes.md', change: 'modified', added: 1, removed: 1, binary: false },
      diff: {
        path: 'docs/notes.md',
        before: side('# Notes\n\nCafé\n', { encoding: 'latin1' }),
        after: side('# Notes\n\nCafé and tea\n', { encoding: 'utf-8-bom' }),
        eolOnly: false,
      },
    },
    textFile(
      'package.json',
      '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n',
      '{\n  "name": "shop",\n  "version": "1.1.0",\n  "type": "module"\n}\n',
      { added: 2, removed: 1 },
    ),
  ];
}

/** A picture of one point, and what `file.image` says of it. */
export const onePoint: FileImage = {
  type: 'png',
  width: 1,
  height: 1,
  bytes: 70,
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
};

/** A picture whose newer side is large. */
export function pictureFile(path: string): FakeFile {
  const picture = (bytes: number): FileSide =>
    side('', { binary: true, text: null, encoding: 'binary', bytes, head: '89504e47', image: { type: 'png', width: 1, height: 1 } });
  return {
    change: { path, change: 'modified', added: null, removed: null, binary: true },
    diff: { path, before: picture(70), after: picture(2_000_000), eolOnly: false },
  };
}

/** Many small files, for the virtual scroll. */
export function manyFiles(count: number): FakeFile[] {
  const before = `${numbered(500, 'row')}\n`;
  return Array.from({ length: count }, (_, at) => {
    const path = `many/group-${String(Math.floor(at / 50)).padStart(3, '0')}/file-${String(at).padStart(5, '0')}.ts`;
    return textFile(path, before, before.replace('row 7750\n', `const changed = ${at};\n`), { added: 1, removed: 1 });
  });
}

export const missingFile = reason('TREE_MISSING', { tree: 'ab12' });

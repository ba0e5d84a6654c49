import { utimes } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { plainBytes, plainText } from '../../electron/cli/plain-text.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';

const ESC = '\u001b';

describe('what a terminal would obey is written out', () => {
  test.each([
    ['a colour', `${ESC}[31mred${ESC}[0m`, '\\x1b[31mred\\x1b[0m'],
    ['a window title', `${ESC}]0;pwned\u0007`, '\\x1b]0;pwned\\x07'],
    ['a C1 control', '\u009b31m', '\\x9b31m'],
    ['a line that overwrites itself', 'safe\rEVIL', 'safe\\x0dEVIL'],
    ['text that runs backwards', 'exe.\u202egpj', 'exe.\\u{202e}gpj'],
    ['lines, tabs, letters and emoji stay', 'a\tb\r\nü 🙂\n', 'a\tb\nü 🙂\n'],
  ])('%s', (_, text, shown) => expect(plainText(text)).toBe(shown));

  test('bytes of any encoding keep their letters', () => {
    const bytes = Buffer.concat([Buffer.from(`+${ESC}[2J ü\r\n`), Buffer.from([0xff, 0x9b, 0x0a])]);
    expect(Buffer.from(plainBytes(bytes)).equals(Buffer.concat([Buffer.from('+\\x1b[2J ü\n'), Buffer.from([0xff, 0x9b, 0x0a])]))).toBe(
      true,
    );
  });
});

test('titles, prompts, commands and errors of a hostile thread reach the terminal as words; JSON has them as they are', async () => {
  const folder = await tempFolder();
  const made = new MadeLog(folder);
  made.prompt(`${ESC}[2Jgone${ESC}]0;title\u0007`);
  made.step('m1', `Ba${ESC}[8msh`, { command: `${ESC}[1A` }, { stdout: '' });
  await made.write();
  await utimes(made.log, new Date(0), new Date(0));
  const env = { ...cleanEnv(folder), HOME: made.home };
  for (const args of [
    ['threads'],
    ['show', made.log],
    ['preview', made.log, 'stop:0'],
    ['show', `/no/${ESC}[31mthing`],
    ['take-back', made.log, 'u1'],
  ]) {
    const run = await runCli(args, env);
    expect([args, run.stdout.includes(ESC), run.stderr.includes(ESC)]).toEqual([args, false, false]);
  }
  const { threads } = (await runCli(['threads', '--json'], env)).json<{ threads: { title: string }[] }>();
  expect(threads.map((thread) => thread.title)).toEqual([`${ESC}[2Jgone${ESC}]0;title\u0007`]);
});

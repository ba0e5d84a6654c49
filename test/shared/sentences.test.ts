import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { whyNoStop } from '../../shared/can-stand.ts';
import { reason } from '../../shared/errors.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { tempFolder } from '../scenarios/temp.ts';

const WITHOUT_ID = 'This message has no id in the log, so the conversation cannot stand here.';

test('a message at which the thread cannot stand names the nearest stops that can be used', () => {
  const no = reason('STOP_WITHOUT_ID');
  const dropped = reason('STOP_DROPPED');
  const messages = [
    { stop: 1, canStand: true as const },
    { stop: null, canStand: dropped },
    { stop: 2, canStand: no },
    { stop: 3, canStand: no },
    { stop: 4, canStand: true as const },
    { stop: 5, canStand: reason('STOP_NOT_BEFORE_PROMPT') },
  ];
  expect(messages.map((_, at) => whyNoStop(messages, at)?.message ?? null)).toEqual([
    null,
    'This message was dropped from the conversation, so the thread cannot stand here.',
    `${WITHOUT_ID} Choose message 1 (stop:1) or message 4 (stop:4).`,
    `${WITHOUT_ID} Choose message 1 (stop:1) or message 4 (stop:4).`,
    null,
    'A recall takes back a prompt and all that follows, so the thread can only stand just before a prompt. Choose message 4 (stop:4).',
  ]);
  expect(whyNoStop([{ stop: 1, canStand: no }], 0)?.message).toBe(`${WITHOUT_ID} Choose another message.`);
  expect([whyNoStop(messages, -1), whyNoStop(messages, 6)]).toEqual([null, null]);
});

test('a workspace that moved is named by an option at the command line, and by the control beside the words in the window', async () => {
  const t = await tanstackScenario(await tempFolder());
  await t.turn('Tidy the folder.', [{ tool: 'write_file', edit: () => writeFile(path.join(t.root, 'a.txt'), 'a\n') }]);
  await rm(t.root, { recursive: true });
  const sentence = `The workspace folder ${t.root} does not exist. Name the folder it was moved to`;
  expect(reason('NO_WORKSPACE', { path: t.root }).message).toBe(`${sentence}.`);
  const { stdout } = await runCli(['preview', t.log, 'stop:1', '--scope', 'files'], t.env);
  expect(stdout).toContain(`Refused: ${sentence} (--root DIR).\n`);
});

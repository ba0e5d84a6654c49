import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { copyDshSample } from '../scenarios/dsh.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { cleanEnv, writeFiles } from '../scenarios/temp.ts';

/** A picture of four by four pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAJklEQVR4nGNk+M+ADJgYGBgYGP7DWExwDkyAEZkDE2DE0EKUSQAhEgMFmJ3MEAAAAABJRU5ErkJggg==';

const ANSWER = `The session now lives in a signed cookie.

- \`src/session.js\` signs it
- \`src/login.js\` sets it after the password was checked

| file | lines |
| --- | ---: |
| src/session.js | 12 |
| src/login.js | 3 |

> The old header is still read for a week.
`;

/** Threads in every state that a window can show, below one folder. Their titles are their first prompts. */
export interface StatesLab {
  folder: string;
  /** The thread that most pictures are of. */
  shop: TanstackScenario;
}

const lines = (name: string, count: number, changed: number): string =>
  `${Array.from({ length: count }, (_, at) => `export const ${name}${at} = ${at % 7 === changed ? at * 10 : at};`).join('\n')}\n`;

async function shopThread(folder: string): Promise<TanstackScenario> {
  const child = await tanstackScenario(folder, { threadId: 'shop:scout:in-1', knowsRoot: false });
  await child.turn(
    'Find every place that reads the session.',
    [{ tool: 'bash', args: { command: 'grep -rn session src' }, output: 'src/session.js:3\nsrc/login.js:9' }],
    { answer: 'Two places read it: `src/session.js` and `src/login.js`.' },
  );
  const t = await tanstackScenario(folder, { threadId: 'shop' });
  await writeFiles(t.root, {
    'src/session.js': lines('session', 30, 0),
    'src/login.js': lines('login', 20, 0),
    'src/old/header.js': lines('header', 8, 0),
    'docs/notes.md': '# Notes\n',
    'assets/logo.png': Buffer.from(PICTURE, 'base64'),
  });
  const write = (name: string, text: string | Buffer) => ({
    tool: 'write_file',
    args: { path: name, content: '…' },
    output: 'written',
    edit: () => writeFile(path.join(t.root, name), text),
  });
  const first = await t.turn(
    'Keep the session in a signed cookie instead of the header.',
    [
      { tool: 'task', args: { prompt: 'Find every place that reads the session.' }, output: 'Two places read it.' },
      { ...write('src/session.js', lines('session', 34, 1)), text: 'First the session itself.' },
      { ...write('src/login.js', lines('login', 21, 2)), and: [{ ...write('docs/notes.md', '# Notes\n\nThe cookie is signed.\n') }] },
      { tool: 'bash', args: { command: 'npm test' }, output: JSON.stringify({ exitCode: 1, stdout: 'session.test.js: 1 failing' }) },
    ],
    { answer: ANSWER },
  );
  const run = { toolCallId: first.calls[0], subagentRunId: 'run-1', threadId: 'shop:scout:in-1' };
  await t.append(t.event(first.operationId, { type: 'SUBAGENT_STARTED', ...run }));
  const inputId = t.id('in');
  const operationId = t.id('op-chat');
  await t.append(
    { type: 'harness.input', inputId, input: { op: 'prompt', message: 'Like this', busy: 'queue' }, at: t.now() },
    { type: 'harness.input.applied', inputId, operationId, attempt: 1 },
  );
  await t.transcript(
    t.messages.length,
    {
      id: t.id('u'),
      role: 'user',
      content: [
        { type: 'text', content: 'The logo should look like this.' },
        { type: 'image', source: { mediaType: 'image/png', data: PICTURE } },
      ],
    },
    {
      id: t.id('a'),
      role: 'assistant',
      thinking: [{ content: 'The picture is small; it can stay as it is.' }],
      content: 'It does already.',
    },
  );
  await t.append({ type: 'harness.input.settled', inputId, operationId, outcome: 'completed' });
  const detour = await t.turn('Try local storage instead.', [{ ...write('src/session.js', lines('local', 34, 1)) }]);
  // The user went back to before the detour and asked something else: it is dropped for good.
  const before = t.messages.length - detour.messages.length - 1;
  const messageId = String(t.messages[before - 1]?.['id'] ?? '');
  await writeFile(path.join(t.root, 'src/session.js'), lines('session', 34, 1));
  await t.append({ type: 'harness.revert', revert: { messageId } });
  t.revert = { messageId };
  await t.turn('Remove the old header, and say how to run it.', [
    { tool: 'bash', args: { command: 'rm src/old/header.js' }, edit: () => rm(path.join(t.root, 'src/old/header.js')) },
    { ...write('assets/logo.png', Buffer.concat([Buffer.from(PICTURE, 'base64'), Buffer.from([0])])) },
    { ...write('src/session.js', lines('session', 36, 3)), text: 'The header is gone, so its fallback goes too.' },
  ]);
  await t.turn('Which port does it use?', [{ tool: 'read_file', args: { path: 'src/login.js' } }], { answer: 'Port 8080.' });
  await writeFile(path.join(t.root, 'src/session.js'), `// my own line\n${lines('session', 36, 3)}`);
  return t;
}

async function known(folder: string, log: string, ...more: string[]): Promise<void> {
  const { exit, stderr } = await runCli(['show', log, ...more], cleanEnv(folder));
  if (exit !== 0) throw new Error(stderr);
}

/** Builds the threads and makes the viewer of `folder` know them. */
export async function statesLab(folder: string): Promise<StatesLab> {
  const shop = await shopThread(path.join(folder, 'shop'));
  const make = (name: string) => tanstackScenario(path.join(folder, name), { threadId: name, events: false });
  const talk = await make('talk');
  await talk.turn('What is a cookie?', [], { answer: 'A small text that a browser keeps.' });
  const running = await make('running');
  await running.turn('Add a page for the cart.', [
    { tool: 'write_file', edit: () => writeFile(path.join(running.root, 'cart.js'), lines('cart', 9, 0)) },
  ]);
  await running.append({ type: 'harness.input', inputId: 'in-now', input: { op: 'prompt', message: 'And a test for it.', busy: 'queue' } });
  await running.append({ type: 'harness.input.applied', inputId: 'in-now', operationId: 'op-now', attempt: 1 });
  await running.transcript(running.messages.length, { id: 'u-now', role: 'user', content: 'And a test for it.' });
  const lost = await make('lost');
  await lost.turn('Rename the shop.', [
    { tool: 'write_file', edit: () => writeFile(path.join(lost.root, 'name.txt'), 'Lumen\n') },
    {
      tool: 'write_file',
      args: { path: 'title.txt' },
      edit: () => writeFile(path.join(lost.root, 'title.txt'), 'Lumen shop\n'),
      record: { to: 'f'.repeat(40) },
    },
  ]);
  const damaged = await make('damaged');
  await damaged.turn('Count the visits.', [
    { tool: 'write_file', edit: () => writeFile(path.join(damaged.root, 'visits.js'), lines('visit', 5, 0)) },
  ]);
  await appendFile(damaged.log, 'this is no record\n');
  await damaged.turn('And the visitors.', []);
  await appendFile(damaged.log, '[{"type":"harness.transcript","keep":4,"ad');
  const newer = await make('newer');
  await newer.turn('Translate the prompts.', []);
  await newer.append({ type: 'harness.quantum', entangled: true });
  const moved = await make('moved');
  await moved.turn('Tidy the folder.', [{ tool: 'write_file', edit: () => writeFile(path.join(moved.root, 'a.txt'), 'a\n') }]);
  const storeless = await make('storeless');
  await storeless.turn('Speed up the start.', [
    { tool: 'write_file', edit: () => writeFile(path.join(storeless.root, 'start.js'), lines('start', 12, 0)) },
  ]);
  const dsh = await copyDshSample(path.join(folder, 'home'), 'session-sample-a', 'v3-plain');
  await known(folder, path.join(path.dirname(shop.log), `${encodeURIComponent('shop:scout:in-1')}.jsonl`));
  for (const { log } of [shop, talk, running, lost, damaged, newer, moved, storeless]) await known(folder, log);
  await mkdir(path.join(folder, 'dsh'), { recursive: true });
  await known(folder, dsh, '--root', path.join(folder, 'dsh'));
  await rm(moved.root, { recursive: true });
  await rm(storeless.gitDir, { recursive: true });
  return { folder, shop };
}

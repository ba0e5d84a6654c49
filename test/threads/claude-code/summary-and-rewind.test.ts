import path from 'node:path';
import { expect, test } from 'vitest';
import { openClaude } from '../../scenarios/claude-code.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { MadeLog } from './made-log.ts';

/** A compaction: a new root that continues from a record, and the words that stand for what was said. */
function summary(made: MadeLog, logicalParentUuid: string): string {
  made.tree({ type: 'system', subtype: 'compact_boundary', logicalParentUuid }, null);
  return made.tree({ type: 'user', isCompactSummary: true, message: { role: 'user', content: 'in short' } });
}

/** Two turns, then a summary of the first; `end`: the record that it continues from. */
async function summarised(): Promise<{ made: MadeLog; end: string }> {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  const end = made.says('m1', 'done one');
  made.prompt('two');
  made.says('m2', 'done two');
  summary(made, end);
  return { made, end };
}

/** One line a message: its words, and whether a rewind left it. */
async function told(made: MadeLog): Promise<string[]> {
  await made.write();
  const reader = await openClaude(made.log, path.join(path.dirname(made.home), 'own'), null);
  return reader.thread().messages.map(({ excerpt, hidden }) => `${excerpt}${hidden === null ? '' : ` ${hidden.reason}`}`);
}

test('a rewind to just after a summary leaves the prompt that stood there, also when a later summary begins at the same place', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  const short = summary(made, made.says('m1', 'done one'));
  made.prompt('two');
  made.says('m2', 'done two');
  made.prompt('two, better', short);
  made.says('m3', 'done better');
  summary(made, short);
  expect(await told(made)).toEqual([
    ...['one', 'done one', 'in short', 'two dropped', 'done two dropped', 'two, better', 'done better', 'in short'],
  ]);
});

test('a rewind to before what a summary covers leaves the summary too', async () => {
  const { made, end } = await summarised();
  made.prompt('instead', end);
  made.says('m3', 'done instead');
  expect(await told(made)).toEqual([
    ...['one', 'done one', 'two dropped', 'done two dropped', 'in short dropped', 'instead', 'done instead'],
  ]);
});

test('a summary of the last turns takes none of them away', async () => {
  const { made } = await summarised();
  made.prompt('three');
  expect(await told(made)).toEqual(['one', 'done one', 'two', 'done two', 'in short', 'three']);
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { momentSchema } from '../../electron/snapshots/moments.ts';
import { claudeBody } from '../../electron/threads/claude-code/claude-body.ts';
import { ClaudeLog } from '../../electron/threads/claude-code/claude-log.ts';
import { ClaudeObjects } from '../../electron/threads/claude-code/claude-objects.ts';
import { type Block, blocksOf } from '../../electron/threads/claude-code/claude-record.ts';
import { FileSamples } from '../../electron/threads/claude-code/file-samples.ts';
import { foldClaude } from '../../electron/threads/claude-code/fold-claude.ts';
import { Happenings } from '../../electron/threads/claude-code/happenings.ts';
import { knownFiles } from '../../electron/threads/claude-code/known-files.ts';
import { recordedTrees } from '../../electron/threads/claude-code/recorded-trees.ts';
import { asText, parseRecord } from '../../electron/threads/loose.ts';
import { type ThreadHead, threadSchema } from '../../shared/model.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';
import { mutateLines, mutateRecord } from './mutate.ts';
import type { Target } from './targets.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/claude-code');
const linesIn = (file: string): Buffer[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && line.length < 8000)
    .map((line) => Buffer.from(line));

/** Records of every kind that the samples do not hold. */
function rare(): Buffer[] {
  const made = new MadeLog('/made');
  made.prompt('first');
  made.checkpoint('u1', { 'a.txt': null, 'b.txt': `${'0'.repeat(16)}@v1` });
  made.create('m1', 'a.txt', 'one\n');
  made.edit('m2', 'a.txt', 'one\n', 'one', 'two', [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-one', '+two'] }]);
  made.edit('m3', 'a.txt', undefined, 'two', 'three');
  made.step('m4', 'Bash', { command: 'false' }, { stdout: '', stderr: 'no' }, true);
  made.step('m5', 'Task', { prompt: 'go' }, { agentId: 'a1', status: 'completed' });
  made.answer('m6', { type: 'thinking', thinking: 'hm' });
  made.answer('m6', { type: 'image', source: { media_type: 'image/png', data: 'AA==' } });
  made.loose({ type: 'file-history-delta', snapshotMessageId: 'u1', trackingPath: 'b.txt', backup: { backupFileName: null } });
  made.loose({ type: 'summary', summary: 'a title' });
  made.loose({ type: 'custom-title', customTitle: 'mine' });
  made.tree({ type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'u1' }, null);
  made.tree({ type: 'user', isCompactSummary: true, message: { role: 'user', content: 'so far' } });
  made.tree({ type: 'user', isSidechain: true, message: { role: 'user', content: [{ type: 'text', text: 'aside' }] } });
  made.prompt([{ type: 'text', text: '<command-name>/clear</command-name>' }], 'u1');
  made.tree({ type: 'user', message: { role: 'user', content: '[Request interrupted by user]' } });
  made.says('m7', 'Done.');
  return made.lines.map((line) => Buffer.from(line));
}

/** A hook's moment around the calls of `rare`. */
const moment = (event: string, call: string | null, tree: string | null): Buffer =>
  Buffer.from(JSON.stringify({ version: 1, at: 1, event, call, root: '/made/workspace', tree, failed: null }));

/** The reader of Claude Code's logs: its records, the files that they tell of, the fold, and the bodies of messages. */
export function claudeTarget(folder: string, head: ThreadHead, checked: number): Target {
  const logs = ['interactive', 'print'].map((session) => {
    const projects = path.join(FIXTURES, session, 'dot-claude/projects/-workspace-scratch-cc');
    const [log = ''] = readdirSync(projects).filter((name) => name.endsWith('.jsonl'));
    return linesIn(path.join(projects, log));
  });
  logs.push(rare());
  const moments = [moment('before', 'call-m1', 'a'.repeat(40)), moment('after', 'call-m1', 'b'.repeat(40)), moment('end', null, null)];
  return {
    name: 'claude code records',
    share: 0.15,
    async one(random, input) {
      const whole = random.pick(logs) ?? [];
      const from = random.below(whole.length);
      const lines = mutateLines(random, whole.slice(from, from + 2 + random.below(whole.length < 40 ? whole.length : 12)), whole);
      // What a result did to a file is read from the log again.
      const file = path.join(folder, 'log.jsonl');
      writeFileSync(file, Buffer.concat(lines));
      const log = new ClaudeLog(file, random.chance(0.1));
      let offset = 0;
      for (const [at, line] of lines.entries()) {
        log.take(line, { offset, length: line.length, number: at + 1 });
        offset += line.length;
      }
      const told = moments.flatMap((one) => {
        const parsed = parseRecord(random.chance(0.5) ? one : mutateRecord(random, one));
        const found = momentSchema.safeParse('record' in parsed ? parsed.record : null);
        return found.success ? [found.data] : [];
      });
      const happenings = new Happenings({ root: log.cwd ?? '/made/workspace', objects: new ClaudeObjects(folder, '/l') });
      await happenings.take(log, new Map([['a1', log]]), new FileSamples('/nowhere', null));
      knownFiles(happenings.list);
      const recordings = recordedTrees(told, log.entries, log.cwd ?? '/made/workspace');
      const { thread, rows } = foldClaude({ log, head, status: 'idle', trees: new Map(), recordings, agents: new Set(['a1']) });
      if (input % checked === 0) threadSchema.parse(thread);
      for (const message of thread.messages.slice(0, 4)) {
        const records = (rows.get(message.id)?.entries ?? []).flatMap(({ offset, length }) => {
          const parsed = parseRecord(readFileSync(file).subarray(offset, offset + length));
          return 'record' in parsed ? [parsed.record] : [];
        });
        const results = new Map<string, Block>(records.flatMap(blocksOf).map((block) => [asText(block['tool_use_id']) ?? '', block]));
        claudeBody(message, records, results);
      }
    },
  };
}

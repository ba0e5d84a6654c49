import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../scenarios/temp.ts';
import { finish, type MadeDatabase, makeDatabase, says, start, tree } from './make-database.ts';
import { openSession } from './open-sample.ts';
import { threadOf, W } from './thread-of.ts';

describe('messages', () => {
  test('prompts of `opencode run` lose the quotes that it put around them, others keep theirs', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    const permission = [{ permission: 'question', pattern: '*', action: 'deny' }];
    made.session({ id: 'ses_run', directory: W, permission });
    made.session({ id: 'ses_ui', directory: W });
    const prompts = ['"fix the \\"bug\\" now"', '"one" and "two"', 'plain', '"quoted"'];
    for (const session of ['ses_run', 'ses_ui'])
      for (const [at, prompt] of prompts.entries()) made.turn(session, `${session}${at}`, prompt, []);
    made.db.close();
    const open = (id: string) => openSession(folder, path.join(folder, 'own'), id, null);
    const run = await open('ses_run');
    expect(run.thread().turns.map((turn) => turn.prompt)).toEqual(['fix the "bug" now', '"one" and "two"', 'plain', '"quoted"']);
    expect((await run.body('ses_run0_u')).parts).toEqual([{ kind: 'text', text: 'fix the "bug" now' }]);
    const ui = await open('ses_ui');
    expect(ui.thread().turns.map((turn) => turn.prompt)).toEqual(prompts);
    expect((await ui.body('ses_ui0_u')).parts).toEqual([{ kind: 'text', text: prompts[0] }]);
  });

  test('what OpenCode added to a prompt is not the prompt; images, thinking and unknown parts are told', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.message('ses_1', 'u', { role: 'user' }, [
      { type: 'text', text: 'Called the Read tool', synthetic: true },
      says('look at this'),
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAEC' },
      { type: 'file', mime: 'text/plain', url: 'file:///w/a.txt', filename: 'a.txt' },
      { type: 'hologram', depth: 3 },
    ]);
    made.message('ses_1', 'a', { role: 'assistant', parentID: 'u', error: { name: 'APIError', data: { message: 'overloaded' } } }, [
      { type: 'reasoning', text: 'hm' },
      { type: 'retry', attempt: 1 },
    ]);
    made.message('ses_1', 'c', { role: 'user' }, [{ type: 'compaction', auto: true }]);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    const { messages, turns } = reader.thread();
    expect(messages.map((message) => [message.excerpt, message.bytes, message.images, message.thinking, message.divider])).toEqual([
      ['look at this', 12, 1, false, null],
      ['overloaded', 0, 0, true, null],
      ['', 0, 0, false, 'compaction'],
    ]);
    expect(turns.map((turn) => turn.status)).toEqual(['failed', 'unknown']);
    expect((await reader.body('u')).parts.map((part) => (part.kind === 'raw' ? `raw ${part.type}` : part.kind))).toEqual([
      'raw text',
      'text',
      'image',
      'raw file',
      'raw hologram',
    ]);
    expect((await reader.body('u')).parts[2]).toEqual({ kind: 'image', mediaType: 'image/png', data: 'AAEC' });
    expect((await reader.body('a')).parts).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'raw', type: 'retry', json: '{"type":"retry","attempt":1}' },
      { kind: 'raw', type: 'error', json: '{"name":"APIError","message":"overloaded"}' },
    ]);
  });

  test('an answer comes after its prompt, whatever the clock and the ids say', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const row = made.db.prepare('insert into message values (?, ?, ?, ?, ?)');
      const add = (id: string, at: number, data: object) => row.run(id, 'ses_1', at, at, JSON.stringify(data));
      add('m_first', 1000, { role: 'user' });
      add('m_early', 400, { role: 'assistant', parentID: 'm_first' });
      add('m_second', 2000, { role: 'user' });
      add('a_same_ms', 2000, { role: 'assistant', parentID: 'm_second' });
      add('m_orphan', 3000, { role: 'assistant', parentID: 'm_nobody' });
    });
    expect(thread.messages.map((message) => `${message.id} T${message.turn}`)).toEqual([
      'm_first T1',
      'm_early T1',
      'm_second T2',
      'a_same_ms T2',
      'm_orphan T2',
    ]);
  });

  test('a revert into the middle of an answer hides the answer whole, and says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W, revert: { messageID: 'a_2', partID: 'prt_x', snapshot: tree('9'), diff: '' } });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), finish(tree('2'))],
        [start(tree('2')), finish(tree('3'))],
      ]);
    });
    expect(thread.standing).toEqual({ messageId: 'a_1', stop: 2, hidden: 1, files: [], now: tree('9') });
    expect(thread.turns[0]?.hidden).toBeNull();
    expect(thread.notices.map((notice) => notice.code)).toEqual(['REVERT_INSIDE_TURN']);
  });

  test('a marker to a message that is not there hides nothing; one to the first hides all', async () => {
    const build = (messageID: string) => (made: MadeDatabase) => {
      made.session({ id: 'ses_1', directory: W, revert: { messageID, snapshot: 'nonsense' } });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), finish(tree('1'))]]);
    };
    expect((await threadOf(build('msg_nobody'))).standing).toBeNull();
    expect((await threadOf(build('a_u'))).standing).toEqual({ messageId: '', stop: 0, hidden: 2, files: null, now: null });
  });
});

import { describe, expect, test } from 'vitest';
import { finish, type MadeDatabase, start, tree } from './make-database.ts';
import { threadOf, trees, W } from './thread-of.ts';

describe('dropped branches', () => {
  const removed = (made: MadeDatabase, seq: number, id: string) => made.event('ses_1', seq, 'message.removed.1', { messageID: id });
  const updated = (made: MadeDatabase, seq: number, info: object) => made.event('ses_1', seq, 'message.updated.1', { info });
  const part = (made: MadeDatabase, seq: number, value: object) => made.event('ses_1', seq, 'message.part.updated.1', { part: value });

  test('the latest version of each part counts, and two branches after one message are not one after the other', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'keep', [[start(tree('1')), finish(tree('2'))]]);
      updated(made, 1, { id: 'a_u', role: 'user' });
      updated(made, 2, { id: 'a_1', role: 'assistant' });
      for (const [at, seq, to] of [
        ['x', 10, '3'],
        ['y', 20, '4'],
      ] as const) {
        const time = { created: 1_700_000_001_000 + seq };
        updated(made, seq, { id: `${at}_u`, role: 'user', time });
        part(made, seq + 1, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: 'old words' });
        part(made, seq + 2, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: `branch ${at}` });
        updated(made, seq + 3, { id: `${at}_1`, role: 'assistant', parentID: `${at}_u`, time });
        part(made, seq + 4, { id: `prt_${at}1`, messageID: `${at}_1`, type: 'step-start', snapshot: tree('2') });
        part(made, seq + 5, { id: `prt_${at}2`, messageID: `${at}_1`, type: 'step-finish', snapshot: tree(to) });
        removed(made, seq + 6, `${at}_u`);
        removed(made, seq + 7, `${at}_1`);
        part(made, seq + 8, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: 'after its end' });
      }
      made.db.prepare('insert into event values (?, ?, ?, ?, ?)').run('bad', 'ses_1', 99, 'message.removed.1', '{"messageID":');
    });
    expect(thread.turns.map((turn) => [turn.prompt, turn.hidden?.reason ?? null])).toEqual([
      ['keep', null],
      ['branch x', 'dropped'],
      ['branch y', 'dropped'],
    ]);
    expect(trees(thread)).toEqual(['a_1 1>2', 'x_1 2>3', 'y_1 2>4']);
    expect(thread.gaps).toEqual([]);
  });

  test('a message that was deleted alone stays in the chain: what it did is still on disk', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.message('ses_1', 'u1', { role: 'user' });
      made.message('ses_1', 'u2', { role: 'user' });
      made.message('ses_1', 'a2', { role: 'assistant', parentID: 'u2' }, [start(tree('5')), finish(tree('6'))]);
      updated(made, 1, { id: 'u1', role: 'user' });
      updated(made, 2, { id: 'gone', role: 'assistant', parentID: 'u1', time: { created: 1_700_000_000_001 } });
      part(made, 3, { id: 'prt_g1', messageID: 'gone', type: 'step-start', snapshot: tree('1') });
      part(made, 4, { id: 'prt_g2', messageID: 'gone', type: 'step-finish', snapshot: tree('2') });
      updated(made, 5, { id: 'u2', role: 'user' });
      updated(made, 6, { id: 'a2', role: 'assistant' });
      removed(made, 7, 'gone');
    });
    expect(trees(thread)).toEqual(['gone 1>2', 'a2 5>6']);
    expect(thread.turns[0]).toMatchObject({ hidden: null, firstStop: 0, lastStop: 1 });
    expect(thread.gaps).toEqual([{ afterStep: 'gone', beforeStep: 'a2', from: tree('2'), to: tree('5') }]);
  });
});

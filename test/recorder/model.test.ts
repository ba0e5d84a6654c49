import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Session } from '../../electron/recorder/session.ts';
import { size } from '../sizes.ts';
import { Recording } from './recording.ts';

const PATHS = ['a.txt', 'b.txt', 'd/c.txt'] as const;
type Write = readonly [path: (typeof PATHS)[number], content: string | null];

const write = fc.tuple(fc.constantFrom(...PATHS), fc.option(fc.constantFrom('1', '2', '3'), { nil: null })) as fc.Arbitrary<Write>;
const step = fc.record({
  bash: fc.boolean(),
  writes: fc.array(write, { minLength: 1, maxLength: 2 }),
  user: fc.option(write, { nil: null }),
});
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn' as const), steps: fc.array(step, { minLength: 0, maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('user' as const), write }) },
  { weight: 2, arbitrary: fc.constantFrom({ do: 'undo' as const }, { do: 'redo' as const }, { do: 'unrevert' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), turn: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

interface Turn {
  answer: string;
  /** Content before the first and after the last step of the turn that changed the file. */
  files: Map<string, { before: string | null; after: string | null }>;
}

/** What must come out, by the rules of the seed: a map of contents and the turns of the conversation. */
class Model {
  files = new Map<string, string>();
  turns: Turn[] = [];
  point: { turn: Turn; state: 'done' | 'undone' } | null = null;
  standing: { keep: number; now: Map<string, string | null> } | null = null;

  set(path: string, content: string | null): void {
    if (content === null) this.files.delete(path);
    else this.files.set(path, content);
  }

  get visible(): Turn[] {
    return this.standing === null ? this.turns : this.turns.slice(0, this.standing.keep);
  }

  begin(): void {
    if (this.standing) this.turns = this.turns.slice(0, this.standing.keep);
    this.standing = null;
    this.point = null;
  }

  undo(): string {
    if (this.standing) return 'A revert stands. Run unrevert, or send a prompt, first.';
    if (this.point?.state !== 'done') return 'Nothing to undo.';
    let count = 0;
    for (const [path, { before }] of this.point.turn.files) {
      if ((this.files.get(path) ?? null) !== before) count += 1;
      this.set(path, before);
    }
    this.turns.pop();
    this.point = { turn: this.point.turn, state: 'undone' };
    return `Undid the last turn. Files restored: ${count}.`;
  }

  redo(): string {
    if (this.standing) return 'A revert stands. Run unrevert, or send a prompt, first.';
    if (this.point?.state !== 'undone') return 'Nothing to redo.';
    for (const [path, { after }] of this.point.turn.files) this.set(path, after);
    this.turns.push(this.point.turn);
    this.point = { turn: this.point.turn, state: 'done' };
    return 'Redid the last turn.';
  }

  unrevert(): void {
    for (const [path, content] of this.standing?.now ?? []) this.set(path, content);
    this.standing = null;
  }

  revert(keep: number): void {
    this.unrevert();
    const before = new Map<string, string | null>();
    for (const turn of this.turns.slice(keep))
      for (const [path, state] of turn.files) if (!before.has(path)) before.set(path, state.before);
    const now = new Map([...before.keys()].map((path) => [path, this.files.get(path) ?? null]));
    for (const [path, content] of before) this.set(path, content);
    this.standing = { keep, now };
  }
}

async function put(r: Recording, model: Model, [path, content]: Write): Promise<void> {
  if (content === null && !model.files.has(path)) return;
  await r.write(path, content);
  model.set(path, content);
}

async function runTurn(
  r: Recording,
  session: Session,
  model: Model,
  steps: readonly { bash: boolean; writes: readonly Write[]; user: Write | null }[],
): Promise<void> {
  const turn: Turn = { answer: '', files: new Map() };
  await session.send('Go', async (running) => {
    model.begin();
    for (const { bash, writes, user } of steps) {
      if (user !== null) await put(r, model, user);
      const before = new Map(model.files);
      await running.step(async (step) => {
        const id = r.callId();
        await step.assistant({ toolCalls: [{ id, name: bash ? 'bash' : 'edit_file', arguments: {} }] });
        await step.tool(id, async ({ report }) => {
          for (const one of writes) {
            await put(r, model, one);
            if (!bash) report(one[0]);
          }
          return 'ok';
        });
      });
      for (const path of new Set([...before.keys(), ...model.files.keys()])) {
        const [was, is] = [before.get(path) ?? null, model.files.get(path) ?? null];
        if (was !== is) turn.files.set(path, { before: turn.files.get(path)?.before ?? (turn.files.has(path) ? null : was), after: is });
      }
    }
    turn.answer = await running.answer('Done.');
  });
  model.turns.push(turn);
  model.point = { turn, state: 'done' };
}

test(
  'random histories of turns, user edits, undo, redo, revert, unrevert and restarts come out as the rules say',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 12 }), async (acts) => {
        const r = await Recording.make({ 'a.txt': '0', 'other.txt': 'o' });
        const model = new Model();
        model.files = new Map([
          ['a.txt', '0'],
          ['other.txt', 'o'],
        ]);
        let session = await r.open();
        for (const one of acts) {
          if (one.do === 'turn') await runTurn(r, session, model, one.steps);
          else if (one.do === 'user') await put(r, model, one.write);
          else if (one.do === 'undo' || one.do === 'redo') expect(await session.runCommand({ name: one.do })).toBe(model[one.do]());
          else if (one.do === 'unrevert') {
            model.unrevert();
            await session.unrevert();
          } else if (one.do === 'revert') {
            const keep = Math.min(one.turn, model.turns.length - 1) + 1;
            const target = model.turns[keep - 1];
            if (target === undefined) continue;
            model.revert(keep);
            expect(await session.revert({ messageId: target.answer })).toMatchObject({ status: 'accepted' });
          } else {
            await session.close();
            session = await r.again().open();
          }
          const found = new Map<string, string>();
          for (const path of [...PATHS, 'other.txt']) {
            const text = await r.text(path);
            if (text !== null) found.set(path, text);
          }
          expect([...found].sort()).toEqual([...model.files].sort());
          const answers = (await session.transcript()).filter(({ content }) => content === 'Done.').map(({ id }) => id);
          expect(answers).toEqual(model.visible.map(({ answer }) => answer));
        }
        await session.close();
      }),
      { numRuns: size(8, 500), interruptAfterTimeLimit: size(240_000, 3_600_000) },
    );
  },
  size(300_000, 3_600_000),
);

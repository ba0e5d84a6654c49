import type { ZodType } from 'zod';
import { browserPort } from '../../electron/host/browser-port.ts';
import { createEngine, type Engine } from '../../electron/host/engine.ts';
import { type Answer, type CallName, calls } from '../../shared/contract.ts';
import type { Step } from '../../shared/model.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { inputsOf } from '../host/bad-inputs.ts';

/** The engine as a host has it, with a thread opened from its log. */
export class Session {
  readonly engine: Engine;
  /** Every answer that was a failure, as `call code`. */
  readonly failures: string[] = [];
  thread = '';

  constructor(env: NodeJS.ProcessEnv) {
    this.engine = createEngine({ port: browserPort, push: () => undefined, version: '1', open: null, env });
  }

  /** One call. What its input lacks is filled in from its schema. */
  async ask(call: CallName, input: Record<string, unknown> = {}): Promise<Answer> {
    const { shape } = calls[call].input as unknown as { shape: Record<string, ZodType> };
    const { good } = inputsOf(calls[call].input);
    // What may be left open is left open.
    const filled = Object.entries(good as object)
      .filter(([name]) => !shape[name]?.safeParse(undefined).success)
      .map(([name, value]) => [name, shape[name]?.safeParse(null).success ? null : value]);
    const thread = this.thread && 'thread' in shape ? { thread: this.thread } : {};
    const answer = await this.engine.answer(call, { ...Object.fromEntries(filled), ...thread, ...input });
    if (!answer.ok) this.failures.push(`${call} ${answer.error.code}: ${answer.error.message}`);
    return answer;
  }

  async value<T>(call: CallName, input: Record<string, unknown> = {}): Promise<T> {
    const answer = await this.ask(call, input);
    if (answer.ok) return answer.value as T;
    throw new Error(`${call}: ${answer.error.code} ${answer.error.message}`);
  }

  async open(log: string, root: string | null = null): Promise<void> {
    const { head } = await this.value<{ head: { id: string } }>('thread.open', { thread: log, root, data: null });
    this.thread = head.id;
  }

  travel(kind: string, rest: Record<string, unknown> = {}): Promise<Answer> {
    const where = { kind, stop: null, entry: null, scope: 'both', piece: null, ...rest };
    return this.#travel(where);
  }

  async #travel(where: Record<string, unknown>): Promise<Answer> {
    const plan = await this.ask('travel.preview', where);
    if (!plan.ok) return plan;
    const { fingerprint, refusal } = plan.value as { fingerprint: string; refusal: { code: string } | null };
    if (refusal) this.failures.push(`travel.preview refusal ${refusal.code}`);
    return this.ask('travel.run', { ...where, operation: `op-${Math.random()}`, drift: 'merge', choices: {}, fingerprint });
  }

  /** Everything that can be looked at: all steps, every range, every file of each, patches, searches. */
  async look(): Promise<{ steps: Step[]; patch: string | null }> {
    const view = await this.ask('thread.steps');
    const steps = view.ok ? (view.value as { steps: Step[] }).steps : [];
    await this.ask('thread.changes');
    // A step without a change has no trees in this log, so no patch can name it.
    const ids = steps.filter((step) => (step.files ?? []).length > 0).map((step) => step.id);
    const ranges = [
      ...ids.flatMap((step) => [
        { kind: 'step', step },
        { kind: 'since', step },
      ]),
      { kind: 'turn', turn: 1 },
      { kind: 'steps', from: ids[0], to: ids.at(-1) },
      { kind: 'plan', stop: 0 },
    ];
    for (const range of ranges) {
      const listed = await this.ask('diff.files', { range });
      const files = listed.ok ? (listed.value as { files: { path: string }[] }).files : [];
      for (const { path } of files.slice(0, 12)) await this.ask('diff.file', { range, path, anyway: true });
    }
    const messages = view.ok ? (view.value as { messages: { id: string }[] }).messages : [];
    for (const { id } of messages) await this.ask('thread.message', { message: id });
    await this.ask('search.thread', { words: ['edit'], operation: 'search' });
    const whole = await this.ask('patch.text', { range: { kind: 'steps', from: ids[0], to: ids.at(-1) } });
    return { steps, patch: whole.ok ? (whole.value as { text: string }).text : null };
  }

  async files(call: Promise<Answer>): Promise<string[]> {
    const answer = await call;
    if (!answer.ok) throw new Error(`${answer.error.code} ${answer.error.message}`);
    return (answer.value as TravelResult).files.map((file) => `${file.path} ${file.outcome}`);
  }

  dispose(): Promise<void> {
    return this.engine.dispose();
  }
}

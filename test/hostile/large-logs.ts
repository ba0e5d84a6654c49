import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { writeLog } from '../bench/long-log.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';
import { call, finish, type MadeDatabase, makeDatabase, says, start, tree } from '../threads/opencode/make-database.ts';

/** Text that is no more alike than code and output are: a few hundred words in an order of their own. */
export class Prose {
  #seed = 7;

  text(length: number): string {
    let text = '';
    while (text.length < length) {
      this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
      text += `${WORDS[this.#seed % WORDS.length]}${this.#seed % 7 === 0 ? '\n' : ' '}`;
    }
    return text.slice(0, length);
  }
}

const WORDS = Array.from({ length: 400 }, (_, at) => (0x9e37_79b1 * (at + 1)).toString(36).slice(-3 - (at % 7)));

/** The file of one session of DSH in a home of its own. */
export function dshLog(folder: string, zstd: boolean): string {
  return path.join(folder, '.dsh/sessions/project/session-1', `session.v3.jsonl${zstd ? '.zstd' : ''}`);
}

/** Writes a plain or packed log of format 3, turn by turn, until it has `size` bytes. Gives the number of the next event. */
export function writeDshLog(file: string, size: number, zstd: boolean): number {
  mkdirSync(path.dirname(file), { recursive: true });
  const out = openSync(file, 'w');
  const prose = new Prose();
  const checked = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
  const header = { type: 'session', version: 3, id: 'session-1', createdAt: 1, delegationDepth: 0, cwd: path.dirname(file) };
  let [seq, written] = [0, 0];
  const put = (lines: readonly object[]): void => {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    written += writeSync(out, zstd ? zstdCompressSync(bytes, checked) : bytes);
  };
  put([header]);
  for (let turn = 1; written < size; turn += 1) {
    const events: object[] = [];
    const add = (type: string, data: object, rest: object = {}): number => {
      events.push({ type, seq, time: turn, data, ...rest });
      seq += 1;
      return seq - 1;
    };
    const append = { surfaceOp: 'append' };
    const message = (id: string, role: string, content: object[]): object => ({
      id: `${id}-${turn}`,
      role,
      source: { kind: role },
      content,
    });
    add('turn/start', { turn });
    add('step/start', { turn, step: 1 });
    const source = { kind: 'user' };
    add('user/message', { ...message('u', 'user', [{ type: 'text', text: prose.text(200) }]), source }, append);
    const input = JSON.stringify({ file_path: `src/file-${turn % 40}.ts`, content: prose.text(2400) });
    const [callId, name] = [`c${turn}`, 'write'];
    const block = { type: 'tool-call', id: callId, name, arguments: input };
    add('assistant/message', { turn, step: 1, message: message('a', 'assistant', [block]), stream: [] }, append);
    const started = add('tool/call', { turn, step: 1, callId, name, arguments: input });
    const result = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text: prose.text(9000) }] };
    add('tool/result', { turn, step: 1, message: message('r', 'user', [result]) }, { ...append, sourceEventSeqs: [started] });
    add('step/end', { turn, step: 1 });
    add('step/start', { turn, step: 2 });
    add(
      'assistant/message',
      { turn, step: 2, message: message('z', 'assistant', [{ type: 'text', text: prose.text(1600) }]), stream: [] },
      append,
    );
    add('step/end', { turn, step: 2 });
    add('turn/end', { turn, reason: { kind: 'completed' } });
    put(events);
  }
  closeSync(out);
  return seq;
}

function writeClaudeLog(folder: string, size: number): string {
  const prose = new Prose();
  const made = new MadeLog(folder);
  mkdirSync(path.dirname(made.log), { recursive: true });
  const out = openSync(made.log, 'w');
  for (let [turn, written] = [1, 0]; written < size; turn += 1) {
    made.prompt(prose.text(200));
    const content = prose.text(2400);
    const file = path.join(made.root, `src/file-${turn % 40}.ts`);
    made.answer(`a${turn}`, { type: 'tool_use', id: `w${turn}`, name: 'Write', input: { file_path: file, content } });
    made.result(`w${turn}`, 'done', { type: 'create', filePath: file, content, structuredPatch: [], originalFile: null });
    made.answer(`b${turn}`, { type: 'tool_use', id: `b${turn}`, name: 'Bash', input: { command: 'npm test' } });
    const output = prose.text(9000);
    made.result(`b${turn}`, output, { stdout: output, stderr: '', interrupted: false });
    made.says(`z${turn}`, prose.text(1600));
    written += writeSync(out, Buffer.from(`${made.lines.join('\n')}\n`));
    made.lines.length = 0;
  }
  closeSync(out);
  return made.log;
}

async function writeOpencode(folder: string, size: number): Promise<string> {
  const prose = new Prose();
  const made: MadeDatabase = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: folder });
  made.db.exec('begin');
  for (let [turn, written] = [1, 0]; written < size; turn += 1) {
    const input = { filePath: path.join(folder, `file-${turn % 40}.ts`), content: prose.text(2400) };
    const output = prose.text(9000);
    const write = call('write', input, { output: 'done' });
    const steps = [
      [start(tree('1')), write, call('bash', { command: 'npm test' }, { output }), finish(tree('2'))],
      [says(prose.text(1600))],
    ];
    made.turn('ses_1', `t${turn}`, prose.text(200), steps);
    written += 14_500;
  }
  made.db.exec('commit');
  made.db.exec('pragma wal_checkpoint(truncate)');
  made.db.close();
  return made.file;
}

/** Logs of every kind as agents write them, of about this many bytes. Gives the file. */
export const LARGE_LOGS: Record<string, (folder: string, size: number) => Promise<string>> = {
  tanstack: async (folder, size) => {
    const file = path.join(folder, 'thread-1.jsonl');
    await writeLog(file, size);
    return file;
  },
  dsh: async (folder, size) => {
    writeDshLog(dshLog(folder, false), size, false);
    return dshLog(folder, false);
  },
  'dsh zstd': async (folder, size) => {
    writeDshLog(dshLog(folder, true), size, true);
    return dshLog(folder, true);
  },
  'claude-code': async (folder, size) => writeClaudeLog(folder, size),
  opencode: writeOpencode,
};

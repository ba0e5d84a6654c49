import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MadeDatabase } from '../threads/opencode/make-database.ts';
import { PROJECT, storageFromDump } from '../threads/opencode/storage-from-dump.ts';
import { putTree } from '../travel/model/cheap-scenario.ts';
import { act, type Disk, type Op, readWorkspace } from '../travel/model/disk.ts';
import type { Layout, OpencodeDeed } from './opencode-deeds.ts';

/** Parts that tell nothing of the files: others of the API's schema (1.3), and one of tomorrow. */
const ODD_PARTS = [
  { type: 'file', mime: 'text/plain', filename: 'a.txt', url: 'file:///w/a.txt' },
  { type: 'agent', name: 'build' },
  { type: 'retry', attempt: 1, error: { name: 'APIError', data: {} }, time: { created: 1 } },
  { type: 'snapshot', snapshot: 'f'.repeat(40) },
  { type: 'of-tomorrow', snapshot: 'e'.repeat(40) },
];

/** Where nobody can answer, the agent may not ask. */
const RUN_PERMISSION = [{ permission: 'question', pattern: '*', action: 'deny' }];

type Json = Record<string, unknown>;
interface Made {
  id: string;
  at: number;
  data: Json;
  parts: (Json & { id: string })[];
}

/** The workspace and data folder of one random session, written record by record in the forms of Part 1. */
export class OpencodeWorld {
  readonly root: string;
  readonly home: string;
  readonly dataDir: string;
  readonly sessionId: string;
  readonly trees = new Map<string, Disk>();
  /** Sessions besides: of sub-agents, with the one that started them, and forks. */
  readonly others = new Map<string, { parent: string | null; messages: Made[] }>();
  readonly #layout: Layout;
  /** The session comes from `opencode run`. */
  readonly #run: boolean;
  #messages: Made[] = [];
  readonly #events: { type: string; data: Json }[] = [];
  #orphans: Made[] = [];
  #marker: Json | null = null;
  #count = 0;
  #clock = 1_780_000_000_000;

  constructor(folder: string, layout: Layout, run: boolean) {
    this.#layout = layout;
    this.#run = run;
    this.root = path.join(folder, 'workspace');
    this.home = path.join(folder, 'home');
    this.dataDir = path.join(this.home, '.local/share/opencode');
    // Objects stay from one store to the next: they are the same.
    for (const old of [this.root, path.join(this.dataDir, 'storage')]) rmSync(old, { recursive: true, force: true });
    mkdirSync(this.dataDir, { recursive: true });
    for (const name of readdirSync(this.dataDir)) if (name !== 'snapshot') rmSync(path.join(this.dataDir, name));
    mkdirSync(this.root, { recursive: true });
    this.sessionId = this.#id('ses');
  }

  /** 1.2: time and counter in hex, then fourteen more; some messages share their millisecond. */
  #id(prefix: string): string {
    this.#count += 1;
    const hex = (BigInt(this.#clock) * 4096n + BigInt(this.#count)) & 0xffff_ffff_ffffn;
    return `${prefix}_${hex.toString(16).padStart(12, '0')}${String(this.#count).padStart(14, 'Z')}`;
  }

  #track(): string {
    const disk = readWorkspace(this.root);
    const project = path.join(this.dataDir, 'snapshot', PROJECT);
    // 1.1: since 1.18 each worktree has its own below the project's.
    const own = createHash('sha1').update(this.root).digest('hex');
    const tree = putTree(this.#layout === 'events' || this.#layout === 'runtime' ? path.join(project, own) : project, disk);
    this.trees.set(tree, disk);
    return tree;
  }

  #tree(id: string): Disk {
    return this.trees.get(id) ?? new Map();
  }

  /** Puts a file of a tree back, or takes it away where the tree has none. */
  #putBack(name: string, tree: Disk): void {
    const full = path.join(this.root, name);
    const want = tree.get(name);
    const disk = readWorkspace(this.root);
    if (disk.has(name)) rmSync(full);
    disk.delete(name);
    if (want?.kind === 'link') act(this.root, disk, { op: 'link', path: name, to: want.text });
    else if (want) {
      act(this.root, disk, { op: 'write', path: name, value: 0 });
      writeFileSync(full, want.text);
      chmodSync(full, want.mode);
    }
  }

  #act(list: readonly Op[] | null): void {
    const disk = readWorkspace(this.root);
    // Files and folders in each other's place are for the random histories: with steps that no tree tells of, no format says what is right.
    const swaps = (op: Op): boolean => (op.op !== 'ignore' && op.path === 'k') || (op.op === 'rename' && op.to === 'k');
    for (const op of list ?? []) if (op.op !== 'ignore' && !swaps(op)) act(this.root, disk, op);
  }

  #message(data: Json, parts: readonly Json[]): Made {
    this.#clock += this.#count % 3;
    const made: Made = { id: this.#id('msg'), at: this.#clock, data: { ...data, time: { created: this.#clock } }, parts: [] };
    if (data['role'] === 'assistant' && data['error'] === undefined) made.data['time'] = { created: this.#clock, completed: this.#clock };
    this.#messages.push(made);
    this.#event('message.updated.1', { info: { id: made.id, sessionID: this.sessionId, ...made.data } });
    for (const part of parts) this.#part(made, part);
    return made;
  }

  #part(made: Made, part: Json): void {
    const whole = { ...part, id: this.#id('prt') };
    made.parts.push(whole);
    const place = { sessionID: this.sessionId, messageID: made.id };
    // A part is logged while it grows, each time whole; the last time counts.
    if (part['type'] === 'text') this.#event('message.part.updated.1', { part: { ...whole, ...place, text: '' } });
    this.#event('message.part.updated.1', { part: { ...whole, ...place } });
  }

  #event(type: string, data: Json): void {
    this.#events.push({ type, data: { sessionID: this.sessionId, ...data } });
  }

  #call(kind: string, name = 'a'): Json {
    this.#count += 1;
    const callID = `call_${this.#count}`;
    const base = { time: { start: this.#clock, end: this.#clock + 5 } };
    if (kind === 'bash')
      return {
        type: 'tool',
        tool: kind,
        callID,
        state: { status: 'completed', input: { command: 'make' }, output: 'ok', metadata: { exit: 0 }, ...base },
      };
    if (kind === 'task') {
      const child = this.#child();
      const output = `done\n\n<task_metadata>\nsession_id: ${child}\n</task_metadata>`;
      return {
        type: 'tool',
        tool: kind,
        callID,
        state: { status: 'completed', input: { prompt: 'help' }, output, metadata: { sessionId: child }, ...base },
      };
    }
    const input = { filePath: path.join(this.root, name) };
    if (kind === 'failed') return { type: 'tool', tool: 'edit', callID, state: { status: 'error', input, error: 'no match', ...base } };
    return { type: 'tool', tool: kind, callID, state: { status: 'completed', input, output: 'ok', metadata: {}, ...base } };
  }

  /** A session that answers one question and writes nothing. */
  #child(): string {
    const [id, asked, said] = [this.#id('ses'), this.#id('msg'), this.#id('msg')];
    const part = (rest: Json) => ({ ...rest, id: this.#id('prt') });
    const [snapshot, time] = [this.#track(), { created: this.#clock, completed: this.#clock }];
    const parts = [part({ type: 'step-start', snapshot }), part({ type: 'text', text: 'So.' }), part({ type: 'step-finish', snapshot })];
    const messages = [
      { id: asked, at: this.#clock, data: { role: 'user', time }, parts: [part({ type: 'text', text: 'help' })] },
      { id: said, at: this.#clock, data: { role: 'assistant', parentID: asked, finish: 'stop', time }, parts },
    ];
    this.others.set(id, { parent: this.sessionId, messages });
    return id;
  }

  /** 1.3: a session of its own with the same messages under new ids. */
  #fork(): void {
    const ids = new Map<unknown, string>(this.#messages.map(({ id }) => [id, this.#id('msg')]));
    const messages = this.#messages.map(({ id, at, data, parts }) => ({
      ...{ id: ids.get(id) ?? id, at },
      data: { ...data, parentID: ids.get(data['parentID']) },
      parts: parts.map((part) => ({ ...part, id: this.#id('prt') })),
    }));
    this.others.set(this.#id('ses'), { parent: null, messages });
  }

  do(deed: OpencodeDeed): void {
    if (deed.do === 'user') this.#act(deed.does);
    else if (deed.do === 'revert') this.#revert(deed.back, deed.part);
    else if (deed.do === 'fork') this.#fork();
    else if (deed.do === 'unrevert') {
      if (this.#marker) this.#checkout();
      this.#marker = null;
    } else if (deed.do === 'compact') {
      this.#commit();
      const prompt = this.#message({ role: 'user' }, [{ type: 'compaction', auto: true }]);
      this.#message({ role: 'assistant', parentID: prompt.id, mode: 'compaction', summary: true, finish: 'stop' }, [
        { type: 'text', text: 'In short.' },
      ]);
    } else this.#turn(deed);
  }

  #turn(deed: Extract<OpencodeDeed, { do: 'turn' }>): void {
    const running = this.#messages.findLast((message) => message.data['role'] === 'user');
    this.#commit();
    const words = `Change it ${this.#count}`;
    const said = { type: 'text', text: deed.said === 'quoted' ? `"${words}"` : words };
    const notes = deed.said === 'notes' ? [{ type: 'text', text: 'a note of the tool', synthetic: true }] : [];
    const prompt = this.#message({ role: 'user' }, [said, ...notes, ...(deed.said === 'notes' ? ODD_PARTS : [])]);
    // An answer to the prompt before comes after the one that waits.
    if (deed.waits && running && this.#messages.includes(running)) this.#step(running.id, { does: null, calls: [], end: 'whole' }, true);
    for (const [at, step] of deed.steps.entries()) this.#step(prompt.id, step, at === deed.steps.length - 1);
  }

  #step(parentID: string, { does, calls, end }: Extract<OpencodeDeed, { do: 'turn' }>['steps'][number], last: boolean): void {
    let from = this.#track();
    this.#act(does);
    const to = this.#track();
    if (end === 'late-start') from = to;
    const made = this.#message(
      {
        role: 'assistant',
        parentID,
        ...(end === 'cut' ? { error: { name: 'MessageAbortedError', data: {} } } : { finish: last ? 'stop' : 'tool-calls' }),
      },
      [
        end === 'no-start' ? { type: 'step-start' } : { type: 'step-start', snapshot: from },
        { type: 'text', text: 'Doing it.' },
        ...calls.map((kind) => this.#call(kind)),
        ...this.#callsFor(does, from, to),
      ],
    );
    if (end !== 'cut')
      this.#part(made, { type: 'step-finish', reason: 'stop', ...(end === 'no-end' ? {} : { snapshot: end === 'empty-end' ? '' : to }) });
    const [a, b] = [this.#tree(from), this.#tree(to)];
    const files = [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name)));
    if (files.length > 0) this.#part(made, { type: 'patch', hash: from, files: files.map((name) => path.join(this.root, name)) });
  }

  /** The calls that did it: a file that is written and differs is a tool's own, everything else is the shell's. */
  #callsFor(does: readonly Op[] | null, from: string, to: string): Json[] {
    const [a, b] = [this.#tree(from), this.#tree(to)];
    const changed = [...new Set([...a.keys(), ...b.keys()])].filter((name) => !isDeepStrictEqual(a.get(name), b.get(name)));
    const [only] = does ?? [];
    if (does?.length === 1 && only?.op === 'write' && isDeepStrictEqual(changed, [only.path]))
      return [this.#call(a.has(only.path) ? 'edit' : 'write', only.path)];
    return does === null ? [] : [this.#call('bash')];
  }

  /** 1.6: the marker, at a message or one of its parts; the tree before the first revert stays. */
  #revert(back: number, part: number): void {
    const target = this.#messages.at(-1 - (back % (this.#messages.length || 1)));
    if (target === undefined) return;
    if (this.#marker) this.#checkout();
    const snapshot = this.#marker?.['snapshot'] ?? this.#track();
    const put = new Set<string>();
    for (const { hash, files } of this.#messages.slice(this.#messages.indexOf(target)).flatMap((message) => message.parts)) {
      for (const file of (files as string[] | undefined) ?? []) {
        const name = path.relative(this.root, file);
        if (!put.has(name)) this.#putBack(name, this.#tree(String(hash)));
        put.add(name);
      }
    }
    const partID = target.data['role'] === 'assistant' && part > 3 ? target.parts.at(1)?.id : undefined;
    this.#marker = { messageID: target.id, ...(partID === undefined ? {} : { partID }), snapshot, diff: '' };
    this.#event('session.updated.1', { info: { id: this.sessionId, revert: this.#marker } });
  }

  /** An unrevert: every file of the tree is written, nothing else is taken away. */
  #checkout(): void {
    const tree = this.#tree(String(this.#marker?.['snapshot']));
    for (const name of tree.keys()) this.#putBack(name, tree);
  }

  /** The next prompt: what the marker hides is removed for good. */
  #commit(): void {
    const at = this.#messages.findIndex((message) => message.id === this.#marker?.['messageID']);
    this.#marker = null;
    if (at < 0) return;
    const gone = this.#messages.splice(at);
    this.#orphans.push(...gone);
    for (const { id } of gone) this.#event('message.removed.1', { messageID: id });
  }

  /** Writes it all down; everything looks an hour old. */
  async write(): Promise<void> {
    const layout = this.#layout;
    const db = layout === 'json' ? null : new MadeDatabase(path.join(this.dataDir, 'opencode.db'), this.#clock);
    const permission = this.#run ? RUN_PERMISSION : [];
    const spec = { directory: this.root, project: PROJECT, permission, ...(this.#marker ? { revert: this.#marker } : {}) };
    db?.session({ id: this.sessionId, ...spec });
    for (const [id, { parent, messages }] of this.others) {
      db?.session({ id, directory: this.root, project: PROJECT, permission, ...(parent === null ? {} : { parent }) });
      if (db) this.#classic(db, id, messages);
    }
    if (db && layout === 'runtime') this.#runtime(db);
    else if (db) this.#classic(db, this.sessionId, this.#messages);
    if (layout === 'events') for (const [seq, { type, data }] of this.#events.entries()) db?.event(this.sessionId, seq, type, data);
    db?.db.close();
    if (layout === 'json' || layout === 'both') await this.#json(layout === 'both' ? this.#messages.slice(0, 2) : this.#messages);
    const past = Date.now() / 1000 - 3600;
    for (const name of readdirSync(this.dataDir)) utimesSync(path.join(this.dataDir, name), past, past);
  }

  #classic(made: MadeDatabase, session: string, messages: readonly Made[]): void {
    const message = made.db.prepare('insert into message values (?, ?, ?, ?, ?)');
    const part = made.db.prepare('insert into part values (?, ?, ?, ?, ?, ?)');
    // The order of rows says nothing.
    for (const { id, at, data, parts } of messages.toReversed()) {
      message.run(id, session, at, at, JSON.stringify(data));
      for (const { id: partId, ...rest } of parts.toReversed()) part.run(partId, id, session, at, at, JSON.stringify(rest));
    }
  }

  #runtime({ db }: MadeDatabase): void {
    const insert = db.prepare('insert into session_message values (?, ?, ?, ?, ?, ?, ?)');
    for (const [seq, { id, at, data, parts }] of this.#messages.entries()) {
      const of = (type: string): Json => parts.find((part) => part['type'] === type) ?? {};
      const content = parts.flatMap((part): Json[] => {
        if (part['type'] === 'text') return [{ type: 'text', text: part['text'] }];
        if (part['type'] !== 'tool') return [];
        const state = part['state'] as Json;
        return [
          {
            type: 'tool',
            id: part['callID'],
            name: part['tool'],
            state: { status: state['status'], input: state['input'], content: [] },
            time: { created: at },
          },
        ];
      });
      const whole =
        data['role'] === 'user'
          ? { text: content.map((item) => item['text']).join('\n'), time: { created: at } }
          : {
              content,
              snapshot: { start: of('step-start')['snapshot'], end: of('step-finish')['snapshot'], files: [] },
              finish: data['finish'],
              error: data['error'],
              time: { created: at, completed: at + 1 },
            };
      insert.run(id, this.sessionId, String(data['role']), seq, at, at, JSON.stringify(whole));
    }
  }

  async #json(messages: readonly Made[]): Promise<void> {
    const permission = this.#run ? RUN_PERMISSION : [];
    const row = { directory: this.root, permission, title: 'A title', version: '1.1.65', time_created: 1, time_updated: this.#clock };
    const revert = this.#marker ? { revert: this.#marker } : {};
    const stored = (session_id: string, list: readonly Made[]) =>
      list.map(({ id, at, data, parts }) => ({
        ...{ id, session_id, time_created: at, data },
        parts: parts.map(({ id: partId, ...rest }) => ({ id: partId, data: rest })),
      }));
    const others = [...this.others];
    const session = [{ id: this.sessionId, ...row, ...revert }, ...others.map(([id, { parent }]) => ({ id, ...row, parent_id: parent }))];
    const besides = others.flatMap(([id, other]) => stored(id, other.messages));
    const storage = await storageFromDump(this.dataDir, { session, messages: [...stored(this.sessionId, messages), ...besides] });
    for (const { id, parts } of this.#orphans) {
      mkdirSync(path.join(storage, 'part', id), { recursive: true });
      for (const part of parts)
        writeFileSync(
          path.join(storage, 'part', id, `${part.id}.json`),
          JSON.stringify({ ...part, sessionID: this.sessionId, messageID: id }),
        );
    }
  }
}

import type { OpenThread } from '../../../electron/threads/thread.ts';
import type { TravelKind } from '../../../shared/plan.ts';
import type { CheapScenario } from './cheap-scenario.ts';
import type { Disk } from './disk.ts';
import { inTree, type Layer } from './rules.ts';

/** A step as the model knows it: by what the agent did, not by what the product reads. */
export interface KnownStep {
  message: string;
  files: string[];
  from: Disk;
  to: Disk;
  calls: readonly string[];
}

/** A travel as the model knows it. */
export interface KnownTravel {
  kind: TravelKind;
  entry: string;
  files: Map<string, Layer>;
  /** The step that a single file was brought back from. */
  piece: KnownStep | null;
  /** The travels that it took back, and all above each on the same paths; `redo` takes an undo alone. */
  takes: readonly KnownTravel[];
  /** The paths that it looked at. */
  about: ReadonlySet<string>;
}

export type Known = { step: KnownStep } | { travel: KnownTravel };

/** What a travel is about: each path with the layers that it takes off, newest first. */
export type Chains = Map<string, Layer[]>;

const layerOf = (from: Disk, to: Disk, path: string, at: number): Layer => ({
  before: inTree(from.get(path)),
  after: inTree(to.get(path)),
  at,
});

/** One thread: its conversation, and in their order the steps and the travels that changed files. */
export class KnownThread {
  readonly t: CheapScenario;
  open: OpenThread | null = null;
  events: Known[] = [];
  /** The travels that the standing revert is made of, newest first. */
  stack: KnownTravel[] = [];
  /** The last turn, where undo or redo may act on it. */
  last: { steps: KnownStep[]; keep: number; state: 'done' | 'undone'; removed: CheapScenario['messages'] } | null = null;

  constructor(t: CheapScenario) {
    this.t = t;
  }

  indexOf(message: string): number {
    return this.t.messages.findIndex((one) => one['id'] === message);
  }

  /** Messages that are not hidden: all, or those up to the one of the standing revert. */
  visible(): string[] {
    const { revert, messages } = this.t;
    const at = revert === null ? -1 : this.indexOf(revert.messageId);
    return (at < 0 ? messages : messages.slice(0, at + 1)).flatMap((message) => (typeof message['id'] === 'string' ? [message['id']] : []));
  }

  /** Layers of the path from an event on, newest first. Steps count where `steps` says so, what was brought back where its step does. */
  #above(path: string, lowest: number, steps: (step: KnownStep) => boolean, pieces: (step: KnownStep) => boolean = () => true): Layer[] {
    const layers: Layer[] = [];
    for (let at = this.events.length - 1; at >= lowest; at--) {
      const event = this.events[at];
      if (event === undefined) continue;
      if ('travel' in event) {
        const { files, piece } = event.travel;
        const layer = files.get(path);
        if (layer && (piece === null || pieces(piece) || this.#takenBack(path, at))) layers.push({ ...layer, at });
      } else if (steps(event.step) && event.step.files.includes(path)) layers.push(layerOf(event.step.from, event.step.to, path, at));
    }
    return layers;
  }

  /** Was what happened to the path there undone since, and that not undone itself? */
  #takenBack(path: string, place: number): boolean {
    const later = this.events.slice(place + 1).flatMap((event) => ('travel' in event ? [event.travel] : []));
    return later.some((travel) => {
      const { files, kind, takes } = travel;
      const lowest = Math.min(...takes.filter((one) => one.files.has(path)).map((one) => this.#placeOf(one)));
      return files.has(path) && kind !== 'redo' && lowest <= place && !this.#takenBack(path, this.#placeOf(travel));
    });
  }

  #placeOf(travel: KnownTravel): number {
    return this.events.findIndex((event) => 'travel' in event && event.travel === travel);
  }

  #lowestOf(travels: readonly KnownTravel[], lowest = new Map<string, number>()): Map<string, number> {
    for (const travel of travels) {
      const place = this.#placeOf(travel);
      for (const path of travel.files.keys()) lowest.set(path, Math.min(place, lowest.get(path) ?? place));
    }
    return lowest;
  }

  /** Everything after the message goes; what a standing revert took comes back first. `at` is -1 for before the first message. */
  revert(at: number): Chains {
    const isAfter = (step: KnownStep): boolean => this.indexOf(step.message) > at;
    const lowest = new Map<string, number>();
    for (const [place, event] of this.events.entries()) {
      if ('step' in event && isAfter(event.step)) for (const path of event.step.files) if (!lowest.has(path)) lowest.set(path, place);
    }
    this.#lowestOf(this.stack, lowest);
    const counts = (step: KnownStep): boolean => isAfter(step) || this.indexOf(step.message) < 0;
    return new Map([...lowest].map(([path, place]) => [path, this.#above(path, place, counts, isAfter)]));
  }

  /** The travels, and every travel that lies above them. */
  back(travels: readonly KnownTravel[]): Chains {
    return new Map([...this.#lowestOf(travels)].map(([path, place]) => [path, this.#above(path, place, () => false)]));
  }

  undo(): Chains {
    const steps = this.last?.steps ?? [];
    const [first, end] = [steps[0], steps.at(-1)];
    if (first === undefined || end === undefined) return new Map();
    const place = this.events.findIndex((event) => 'step' in event && event.step === first);
    const paths = new Set(steps.flatMap((step) => step.files));
    const above = (path: string): Layer[] =>
      this.#above(
        path,
        place,
        () => false,
        (step) => steps.includes(step),
      );
    return new Map([...paths].map((path) => [path, [...above(path), layerOf(first.from, end.to, path, place)]]));
  }

  redo(): Chains {
    const steps = this.last?.steps ?? [];
    const [first, end] = [steps[0], steps.at(-1)];
    const newest = this.travels().findLast((travel) => travel.kind !== 'partial');
    if (newest?.kind === 'undo') return new Map([...newest.files].map(([path, layer]) => [path, [layer]]));
    if (first === undefined || end === undefined) return new Map();
    const paths = new Set(steps.flatMap((step) => step.files));
    return new Map([...paths].map((path) => [path, [layerOf(end.to, first.from, path, Number.POSITIVE_INFINITY)]]));
  }

  /**
   * One file of a step: its change goes (`out`), or the file becomes what it was before the step, or after it. After it: what came between
   * it and the next change that is known is nobody's.
   */
  piece(step: KnownStep, path: string, side: 'out' | 'before' | 'after'): Layer[] {
    const place = this.events.findIndex((event) => 'step' in event && event.step === step);
    const own = layerOf(step.from, step.to, path, place);
    if (side === 'out') return [own];
    const above = this.#above(path, place + 1, () => true);
    if (side === 'before') return [...above, own];
    const next = above.at(-1)?.before;
    return [...above, { before: own.after, after: next === undefined ? own.before : next, at: place, others: true }];
  }

  travels(): KnownTravel[] {
    return this.events.flatMap((event) => ('travel' in event ? [event.travel] : []));
  }

  /** The conversation after a travel, and what the model remembers of it. */
  went(travel: KnownTravel, o: { messageId: string | null; files: boolean }): void {
    const { t } = this;
    this.events.push({ travel });
    if (travel.kind === 'revert' && o.messageId !== null) {
      t.revert = { messageId: o.messageId };
      this.stack = [travel, ...this.stack];
    } else if (travel.kind === 'unrevert') {
      t.revert = null;
      this.stack = [];
    } else if (travel.kind === 'undo' && this.last !== null) {
      this.last = { ...this.last, state: 'undone', removed: t.messages.slice(this.last.keep) };
      t.messages = t.messages.slice(0, this.last.keep);
    } else if (travel.kind === 'redo' && this.last !== null) {
      t.messages = [...t.messages, ...this.last.removed];
      this.last = { ...this.last, state: 'done', removed: [] };
    }
  }
}

import type { ThreadChanges, ThreadView } from '../../shared/contract.ts';
import { listPatch, patchedList, sameJson } from '../../shared/list-patch.ts';

/** Two windows that look at one thread may be a version apart. */
const KEPT = 3;

/** No version is given twice, not by another run of the host either. */
let last = Date.now();

/** The views of one thread that were sent, so that only what changed has to be sent the next time. */
export class ViewVersions {
  #kept: (ThreadView & { version: number })[] = [];

  /** The view with its version, to be sent whole. */
  whole(view: ThreadView): ThreadView {
    last += 1;
    const stamped = { ...view, version: last };
    this.#kept = [stamped, ...this.#kept].slice(0, KEPT);
    return stamped;
  }

  /** What could be done with the thread in a version; null when it is not known any more. */
  canOf(version: number): ThreadView['can'] | null {
    return this.#kept.find((one) => one.version === version)?.can ?? null;
  }

  /** The way from a version that was sent before; the whole view where that one is not known any more. */
  from(version: number, view: ThreadView): ThreadChanges {
    const base = this.#kept.find((one) => one.version === version);
    if (base === undefined) return { kind: 'whole', view: this.whole(view) };
    const { messages, steps, turns, gaps, ...facts } = view;
    const { messages: _messages, steps: _steps, turns: _turns, gaps: _gaps, version: _version, ...before } = base;
    const lists = {
      messages: listPatch(base.messages, messages),
      steps: listPatch(base.steps, steps),
      turns: listPatch(base.turns, turns),
      gaps: listPatch(base.gaps, gaps),
    };
    const untouched = Object.values(lists).every(
      ({ head, tail, add, set, before: length }) => add.length + set.length === 0 && head + tail === length,
    );
    if (untouched && sameJson(before, facts)) return { kind: 'same' };
    last += 1;
    // Elements that stay are the objects of the version before: versions together take little more room than one.
    this.#kept = [
      {
        ...view,
        messages: patchedList(base.messages, lists.messages) ?? messages,
        steps: patchedList(base.steps, lists.steps) ?? steps,
        turns: patchedList(base.turns, lists.turns) ?? turns,
        gaps: patchedList(base.gaps, lists.gaps) ?? gaps,
        version: last,
      },
      ...this.#kept,
    ].slice(0, KEPT);
    return { kind: 'patch', patch: { facts: { ...facts, version: last }, ...lists } };
  }
}

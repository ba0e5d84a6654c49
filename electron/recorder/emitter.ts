/** A kind of event, by its name and the type of what it carries. */
export interface EventType<T> {
  readonly name: string;
  /** Only for the compiler: what listeners get. */
  readonly payload?: T;
}

type Listener = (payload: unknown) => void;

/** Listeners by event type. What a listener throws is its own: it reaches neither the other listeners nor the recording. */
export class Emitter {
  #listeners = new Map<string, Set<Listener>>();
  #kept = new Map<string, unknown[]>();

  /** Calls back for each event of the type, first for those that waited for a listener; the result ends it. */
  on<T>(type: EventType<T>, listener: (payload: T) => void): () => void {
    const set = this.#listeners.get(type.name) ?? new Set();
    this.#listeners.set(type.name, set);
    set.add(listener as Listener);
    const waited = this.#kept.get(type.name) ?? [];
    this.#kept.delete(type.name);
    for (const payload of waited) call(listener as Listener, payload);
    return () => void set.delete(listener as Listener);
  }

  emit<T>(type: EventType<T>, payload: T): void {
    for (const listener of [...(this.#listeners.get(type.name) ?? [])]) call(listener, payload);
  }

  /** Like `emit`, but when nobody listens yet the event waits for the first listener: for what happens while a session opens. */
  keep<T>(type: EventType<T>, payload: T): void {
    if ((this.#listeners.get(type.name)?.size ?? 0) > 0) this.emit(type, payload);
    else this.#kept.set(type.name, [...(this.#kept.get(type.name) ?? []), payload]);
  }
}

function call(listener: Listener, payload: unknown): void {
  try {
    listener(payload);
  } catch (error) {
    // Thrown again outside, where the listener's owner sees it, and not in the middle of a step.
    queueMicrotask(() => {
      throw error;
    });
  }
}

import { isObject, type JsonObject, listField, objectField, textField } from './record.ts';

/** What the metadata store says about a thread: the parts that a viewer needs (`formats/tanstack.md`, metadata store keys). */
export interface ThreadMetadata {
  /** The workspace, from the thread's settings. */
  root: string | null;
  /** A turn waits for a person. */
  interrupted: boolean;
  /** Step records of a host that keeps no log. */
  steps: readonly unknown[];
  /** A revert of a host that keeps no log. */
  revert: JsonObject | null;
}

export const NO_METADATA: ThreadMetadata = { root: null, interrupted: false, steps: [], revert: null };

/** The namespaces that are looked at; others may hold anything. */
export const METADATA_NAMESPACES = ['harness:settings', 'harness:interrupted', 'plugin:tanstack/snapshots', 'harness:revert'] as const;

/** What the store says about a thread; `value` gives what lies under a namespace and a key. */
export function threadMetadata(threadId: string, value: (namespace: string, key: string) => unknown): ThreadMetadata {
  const settings = value('harness:settings', threadId);
  const interrupted = value('harness:interrupted', threadId);
  const steps = value('plugin:tanstack/snapshots', threadId);
  const revert = value('harness:revert', threadId);
  return {
    root: isObject(settings) ? absolute(textField(settings, 'cwd')) : null,
    interrupted: isObject(interrupted),
    steps: Array.isArray(steps) ? steps : isObject(steps) ? listField(steps, 'steps') : [],
    revert: isObject(revert) ? revert : null,
  };
}

/** A relative folder says nothing: it is relative to a process that is gone. */
function absolute(root: string | null): string | null {
  return root !== null && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(root) ? root : null;
}

/** Looks a value up in the two levels of a `metadata.json`. */
export function metadataLookup(file: JsonObject): (namespace: string, key: string) => unknown {
  return (namespace, key) => {
    const values = objectField(file, namespace);
    return values !== null && Object.hasOwn(values, key) ? values[key] : undefined;
  };
}

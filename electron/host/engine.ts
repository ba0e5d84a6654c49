import type { Answer, EventName } from '../../shared/contract.ts';
import { createGit } from '../snapshots/git.ts';
import { ownDataOf, placesOf } from '../threads/places.ts';
import type { Source } from '../threads/source.ts';
import { viaOf } from './command-words.ts';
import { Desk } from './desk.ts';
import { dispatch } from './dispatch.ts';
import { createEmitter, type Emit } from './emitter.ts';
import { createHandlers } from './handlers.ts';
import type { HostPort } from './host-port.ts';
import { Operations } from './operations.ts';
import { SettingsFile } from './settings.ts';
import { Upkeep } from './upkeep.ts';

export interface EngineOptions {
  port: HostPort;
  /** Carries an event to every page. */
  push: (event: EventName, payload: unknown) => void;
  version: string;
  /** The thread or path to open at start. */
  open: string | null;
  env?: NodeJS.ProcessEnv;
  /** The kinds of store that are opened; all that Turnback knows unless somebody brings others. */
  sources?: readonly Source[];
}

/** All that stands behind the boundary, for whichever host. */
export interface Engine {
  readonly desk: Desk;
  readonly ownData: string;
  readonly emit: Emit;
  readonly busy: boolean;
  answer(call: unknown, input: unknown): Promise<Answer>;
  /** Waits for travels under way, then closes every thread. */
  dispose(): Promise<void>;
}

/** Builds the engine over the environment: own data folder, places, git, desk, settings, handlers. */
export function createEngine({ port, push, version, open, env = process.env, sources }: EngineOptions): Engine {
  const places = placesOf(env);
  const ownData = ownDataOf(env);
  const settings = new SettingsFile(ownData);
  let gitPath: string | null = null;
  const git = createGit({ chosen: () => gitPath });
  const emit = createEmitter(push);
  const folders = async (): Promise<readonly string[]> => (await settings.get()).folders;
  const desk = new Desk({ places, ownData, git, emit, folders, via: viaOf(env), ...(sources && { sources }) });
  const operations = new Operations();
  const lookups = new Operations();
  const upkeep = new Upkeep({
    ownData,
    git,
    retention: async () => (await settings.get()).retention,
    report: (why) => emit('notice', { reason: why }),
  });
  void upkeep.soon();
  const handlers = createHandlers({ desk, git, settings, upkeep, operations, lookups, port, emit, version, home: places.home, open });
  return {
    desk,
    ownData,
    emit,
    get busy() {
      return operations.count > 0;
    },
    async answer(call, input) {
      // Before anything runs git, and after each change of it.
      gitPath = (await settings.get()).gitPath;
      return dispatch(handlers, call, input);
    },
    async dispose() {
      await upkeep.dispose();
      lookups.cancelAll();
      await operations.idle();
      await lookups.idle();
      await desk.dispose();
    },
  };
}

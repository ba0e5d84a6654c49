import { appStore } from '../../renderer/store/app-store.ts';
import { bodiesStore } from '../../renderer/store/bodies-store.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { connect } from '../../renderer/store/host.ts';
import { searchStore } from '../../renderer/store/search-store.ts';
import { openThread } from '../../renderer/store/session.ts';
import { emptySession, sessionStore } from '../../renderer/store/session-store.ts';
import { threadsStore } from '../../renderer/store/threads-store.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { createClient } from '../../shared/client.ts';
import type { ThreadView } from '../../shared/contract.ts';
import { FakeHost } from './fake-host.ts';

type Answers = ConstructorParameters<typeof FakeHost>[0];

/** Every store as at the start of the window, and a host with these answers. */
export function freshWindow(answers: Answers): FakeHost {
  appStore.setState(appStore.getInitialState());
  bodiesStore.setState(bodiesStore.getInitialState());
  changesStore.setState(changesStore.getInitialState());
  cursorStore.setState(cursorStore.getInitialState());
  searchStore.setState(searchStore.getInitialState());
  sessionStore.setState(emptySession);
  threadsStore.setState(threadsStore.getInitialState());
  toastStore.setState(toastStore.getInitialState());
  travelStore.setState(travelStore.getInitialState());
  const host = new FakeHost(answers);
  connect(createClient(host));
  return host;
}

/** A window with this view open, and a host with these answers besides. */
export async function windowWith(view: ThreadView, answers: Answers = {}): Promise<FakeHost> {
  const host = freshWindow({
    'thread.open': () => view,
    'thread.steps': () => view,
    'thread.close': () => ({}),
    'diff.files': () => ({ files: [] }),
    ...answers,
  });
  await openThread(view.head.id);
  return host;
}

/** A promise and the function that resolves it. */
export function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

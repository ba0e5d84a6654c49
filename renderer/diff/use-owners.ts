import { useEffect, useState } from 'react';
import { type Reason, reason } from '../../shared/errors.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { useLines } from '../store/lines-store.ts';
import { sessionStore } from '../store/session-store.ts';
import { type LineOwners, lineOwners, momentOf } from './line-owners.ts';
import type { DiffStage } from './stage.ts';

export type Owners = { phase: 'off' | 'loading' } | { phase: 'failed'; error: Reason } | { phase: 'ready'; owners: LineOwners };

const OFF: Owners = { phase: 'off' };

/** Who wrote the lines of a file that is drawn; asked for only while the gutter tells it, and broken off when the file leaves. */
export function useOwners({ thread, range }: Pick<DiffStage, 'thread' | 'range'>, path: string, wanted: boolean): Owners {
  const on = useLines((state) => state.on) && wanted;
  const [owners, setOwners] = useState<Owners>(OFF);
  useEffect(() => {
    if (!on) return;
    const { index } = sessionStore.getState();
    const at = momentOf(range, index);
    if (at === undefined) {
      setOwners({
        phase: 'failed',
        error: reason('NO_LINES', { path, cause: 'this is a preview, of which nobody has written a line yet' }),
      });
      return () => setOwners(OFF);
    }
    const operation = crypto.randomUUID();
    let ended = false;
    let answered = false;
    setOwners({ phase: 'loading' });
    call('file.lines', { thread, operation, path, at })
      .then(
        ({ runs }) => !ended && setOwners({ phase: 'ready', owners: lineOwners(runs, sessionStore.getState().index) }),
        (thrown: unknown) => !ended && setOwners({ phase: 'failed', error: reasonOfThrown(thrown) }),
      )
      .finally(() => {
        answered = true;
      });
    return () => {
      ended = true;
      setOwners(OFF);
      // Nobody waits for the answer; that it could not be broken off changes nothing for anyone.
      if (!answered) call('cancel', { operation }).catch(() => undefined);
    };
  }, [on, thread, range, path]);
  return on ? owners : OFF;
}

import { History } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { appStore } from '../store/app-store.ts';
import { exportPatch } from '../store/patch.ts';
import { selectSteps } from '../store/selection.ts';
import { useSession } from '../store/session-store.ts';
import { unrevert } from '../store/travel.ts';
import { useTravel } from '../store/travel-store.ts';
import { Button } from '../ui/button.tsx';
import { givesFocusBack } from '../ui/keep-focus.ts';
import { PendingBar } from './pending-bar.tsx';
import { revertedSteps, standingWords } from './standing-words.ts';
import './standing-bar.css';

const openHistory = (): void => appStore.setState({ overlay: 'history' });

/** A revert that this window saw standing was made final by a new prompt: say so until it is put away. */
function useFinal(): [boolean, () => void] {
  const id = useSession((state) => state.id);
  const stands = useSession((state) => state.view?.standing != null);
  const code = useSession((state) => {
    const can = state.view?.can.unrevert;
    return can === undefined || can === true ? null : can.code;
  });
  const stood = useRef<string | null>(null);
  const [final, setFinal] = useState(false);
  useEffect(() => {
    if (stands) stood.current = id;
    setFinal(!stands && code === 'REVERT_FINAL' && stood.current === id && id !== null);
  }, [id, stands, code]);
  const close = (): void => {
    stood.current = null;
    setFinal(false);
  };
  return [final, close];
}

/** Says where the thread stands while a revert does, and offers to bring everything back. */
export function StandingBar() {
  const view = useSession((state) => state.view);
  const busy = useTravel((state) => state.running !== null);
  const [final, close] = useFinal();
  if (view === null) return null;
  if (view.standing?.pending) return <PendingBar standing={view.standing} can={view.can} />;
  const words = standingWords(view);
  if (words === null) {
    if (!final) return null;
    return (
      <section className="standing-bar" ref={givesFocusBack} data-final="true" aria-label="Standing revert">
        <History aria-hidden="true" />
        <p className="standing-words">
          The revert is final: a new prompt dropped the hidden messages. Files can still come back from the history.
        </p>
        <Button onClick={openHistory}>History</Button>
        <Button variant="plain" onClick={close}>
          Close
        </Button>
      </section>
    );
  }
  const can = view.can.unrevert;
  const steps = revertedSteps(view);
  const patch = async (): Promise<void> => {
    if (steps === null) return;
    await selectSteps(steps.from.id, steps.to.id);
    await exportPatch();
  };
  return (
    <section className="standing-bar" ref={givesFocusBack} aria-label="Standing revert">
      <History aria-hidden="true" />
      <p className="standing-words num">
        {words}
        {view.keeps === 'overlay' ? <span className="standing-note">The agent still remembers the hidden messages.</span> : null}
      </p>
      <Button
        variant="time"
        keys="u"
        hint="Bring the messages and files back"
        off={busy ? 'A travel is running.' : can === true ? null : can.message}
        onClick={() => void unrevert()}
      >
        Unrevert
      </Button>
      <Button
        off={steps === null ? 'No captured step was taken back.' : null}
        hint="What the revert took away, as a patch"
        onClick={() => void patch()}
      >
        Export patch
      </Button>
      <Button variant="plain" onClick={openHistory}>
        History
      </Button>
    </section>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { Reason } from '../../shared/errors.ts';
import type { ForgetPlan } from '../../shared/own-data.ts';
import { appStore } from '../store/app-store.ts';
import { forgetThread } from '../store/forget.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { sessionStore } from '../store/session-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { count, showBytes } from '../ui/words.ts';
import './forget-dialog.css';

type Loaded = { plan: ForgetPlan } | { reason: Reason } | null;

const close = (): void => appStore.setState({ overlay: null });

function usePlan(thread: string | null): Loaded {
  const [loaded, setLoaded] = useState<Loaded>(null);
  useEffect(() => {
    if (thread === null) return;
    let ended = false;
    call('forget.preview', { thread }).then(
      (plan) => !ended && setLoaded({ plan }),
      (thrown: unknown) => !ended && setLoaded({ reason: reasonOfThrown(thrown) }),
    );
    return () => {
      ended = true;
    };
  }, [thread]);
  return loaded;
}

function Lost({ plan }: { plan: ForgetPlan }) {
  return (
    <ul>
      <li>
        {count(plan.entries, 'travel')} of the history; {plan.undoable === 0 ? 'none' : plan.undoable} of them can still be undone, and none
        after that
      </li>
      <li>{showBytes(plan.bytes)} of safety snapshots: your files as they were before those travels</li>
      <li>what Turnback read of the agent’s snapshots, and where the thread and its folders are</li>
    </ul>
  );
}

/** Asks before all that Turnback keeps of the open thread goes, and says what is lost. */
export function ForgetDialog() {
  const [thread] = useState(() => sessionStore.getState().id);
  const loaded = usePlan(thread);
  const [agreed, setAgreed] = useState(false);
  const [busy, setBusy] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const plan = loaded !== null && 'plan' in loaded ? loaded.plan : null;
  const refusal = loaded !== null && 'reason' in loaded ? loaded.reason : (plan?.refusal ?? null);
  const off =
    refusal?.message ??
    (plan === null || busy ? 'Wait a moment.' : plan.standing && !agreed ? 'Say first that the revert shall stay for good.' : null);
  const forget = async (): Promise<void> => {
    if (thread === null) return;
    setBusy(true);
    if (await forgetThread(thread, agreed)) close();
    setBusy(false);
  };
  return (
    <AlertDialog
      title="Forget this thread?"
      width={520}
      className="forget"
      focus={cancel}
      onClose={close}
      description="Everything that Turnback itself keeps of this thread is removed. The agent’s log and snapshots, and your files, stay as they are."
      foot={
        <>
          <Button ref={cancel} onClick={close}>
            Cancel
          </Button>
          <Button variant="danger" off={off} onClick={() => void forget()}>
            Forget it
          </Button>
        </>
      }
    >
      {plan === null ? null : <Lost plan={plan} />}
      {plan?.standing ? (
        <>
          <Banner tone="failed">A revert of this thread stands. After this it can never be taken back.</Banner>
          <label className="forget-agree">
            <input type="checkbox" checked={agreed} onChange={(event) => setAgreed(event.target.checked)} />
            The revert shall stay for good
          </label>
        </>
      ) : null}
      {refusal === null ? null : <Banner tone="failed">{refusal.message}</Banner>}
    </AlertDialog>
  );
}

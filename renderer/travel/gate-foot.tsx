import type { RefObject } from 'react';
import type { Reason } from '../../shared/errors.ts';
import { appStore } from '../store/app-store.ts';
import { bringWholeFile } from '../store/bring-back.ts';
import { cancelRunning, closeGate, goOnWhileBusy, planAgain, runGate, unrevert } from '../store/travel.ts';
import type { GateState, RunningState } from '../store/travel-store.ts';
import { Button } from '../ui/button.tsx';
import { showNumber } from '../ui/words.ts';
import { buttonText, type Choices, choiceOf, doesNothing } from './gate-model.ts';
import { isRecall, recallButton } from './recall-words.ts';
import { WAY_WORDS, type WayOut, wayOutOf } from './way-out.ts';

function takeWay(way: WayOut): void {
  switch (way) {
    case 'again':
      void planAgain();
      break;
    case 'files-only':
      void planAgain({ scope: 'files' });
      break;
    case 'messages-only':
      void planAgain({ scope: 'messages' });
      break;
    case 'whole-file':
      void bringWholeFile();
      break;
    case 'drop':
      closeGate();
      void unrevert();
      break;
    case 'locate':
      closeGate();
      appStore.setState({ overlay: 'folder', picking: 'root' });
      break;
    case 'unrevert':
      closeGate();
      void unrevert();
      break;
    case 'history':
      closeGate();
      appStore.setState({ overlay: 'history' });
      break;
    case 'none':
      break;
  }
}

function WayOutButton({ refusal, gate, cancel }: { refusal: Reason; gate: GateState; cancel: RefObject<HTMLButtonElement | null> }) {
  const way = wayOutOf(refusal, gate.request.kind);
  if (way === 'none') return null;
  const goOn = (): void => {
    goOnWhileBusy();
    // The button goes with its refusal, and the one that takes its place must not be pressed by the same key.
    cancel.current?.focus();
  };
  return (
    <>
      {refusal.code === 'FOLDER_BUSY' && gate.plan !== null ? <Button onClick={goOn}>Go on while it works…</Button> : null}
      <Button variant="primary" onClick={() => takeWay(way)}>
        {WAY_WORDS[way]}
      </Button>
    </>
  );
}

/** The parts of a travel in the engine's words, and what they are. */
const PHASES: Readonly<Record<string, string>> = {
  Keeping: 'Keeping a safety snapshot',
  Writing: 'Writing files',
  'Putting back': 'Putting files back',
};

/** How far a running travel is. Once the first file is written it ends by itself, one way or the other. */
function Progress({ running }: { running: RunningState }) {
  const { done, total, label } = running;
  const words = running.cancelling ? 'Cancelling…' : (PHASES[label] ?? (label || 'Starting…'));
  return (
    <div className="gate-progress">
      <progress aria-label={words} {...(total === null ? {} : { max: Math.max(1, total), value: done })} />
      <span role="status">
        {words}
        {total === null ? null : (
          <span className="num">
            {' '}
            {showNumber(done)} of {showNumber(total)}
          </span>
        )}
      </span>
    </div>
  );
}

export interface GateFootProps {
  gate: GateState;
  running: RunningState | null;
  refusal: Reason | null;
  choices: Choices;
  cancel: RefObject<HTMLButtonElement | null>;
}

/** Cancel, which has the focus, and the one button that writes; a refusal has its way out instead. */
export function GateFoot({ gate, running, refusal, choices, cancel }: GateFootProps) {
  const { plan } = gate;
  const writing = running?.label === 'Writing' || running?.label === 'Putting back';
  const overwrites = plan?.files.some((file) => file.drift && choiceOf(file, choices) === 'overwrite') ?? false;
  const off =
    gate.phase === 'loading' ? 'The plan is being made.' : plan !== null && doesNothing(plan, choices) ? 'There is nothing to do.' : null;
  return (
    <>
      {running === null ? null : <Progress running={running} />}
      <Button
        ref={cancel}
        off={
          writing ? 'Files are being written. All of them will be written, or all put back.' : running?.cancelling ? 'Cancelling…' : null
        }
        onClick={() => (running === null ? closeGate() : void cancelRunning())}
      >
        {refusal !== null && running === null ? 'Close' : 'Cancel'}
      </Button>
      {running !== null ? null : refusal !== null ? (
        <WayOutButton refusal={refusal} gate={gate} cancel={cancel} />
      ) : plan === null ? null : (
        <Button variant={overwrites || plan.refusal !== null ? 'danger' : 'primary'} off={off} onClick={() => void runGate()}>
          {isRecall(plan) ? recallButton(plan) : buttonText(plan, choices)}
          {plan.refusal === null ? null : ' while it works'}
        </Button>
      )}
    </>
  );
}

import { useEffect, useRef, useState } from 'react';
import type { Piece, Scope } from '../../shared/plan.ts';
import { choosePieceSide } from '../store/bring-back.ts';
import { gateRefusal } from '../store/gate-refusal.ts';
import { sessionStore } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { closeGate, planAgain } from '../store/travel.ts';
import { type GateState, type RunningState, useTravel } from '../store/travel-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Counts } from '../ui/counts.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useDelayed } from '../ui/use-delayed.ts';
import { busyWords } from './busy-words.ts';
import { GateFiles } from './gate-files.tsx';
import { GateFoot } from './gate-foot.tsx';
import { GateEffects, GateNotes, GateSkipped } from './gate-lists.tsx';
import { gateSentence, hasScope, PIECE_WORDS, SCOPE_WORDS, titleText, totalsOf } from './gate-model.ts';
import { GateRecall } from './gate-recall.tsx';
import { isRecall, recallSentence } from './recall-words.ts';
import { TravelReport } from './travel-report.tsx';
import './gate.css';

const PIECE_SIDES = (['out', 'before', 'after'] as const satisfies readonly Piece['side'][]).map((value) => ({
  value,
  label: PIECE_WORDS[value],
}));

const SCOPES = (['both', 'files', 'messages'] as const satisfies readonly Scope[]).map((value) => ({ value, label: SCOPE_WORDS[value] }));

/** The time of the message that the travel goes to. */
function timeOfStop(stop: number | null): number | null {
  const { view, index } = sessionStore.getState();
  if (stop === null) return null;
  return view?.messages[stopAt(index.stops, stop)?.row ?? -1]?.at ?? null;
}

/** A plan that went stale is made again at once, and the dialog says why the list is another. */
function useStale(gate: GateState): string | null {
  const [stale, setStale] = useState<string | null>(null);
  const { error } = gate;
  useEffect(() => {
    if (error?.code !== 'PLAN_STALE') return;
    setStale(error.message);
    void planAgain();
  }, [error]);
  return stale;
}

function GateDialog({ gate, running }: { gate: GateState; running: RunningState | null }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const stale = useStale(gate);
  const isRunning = running !== null;
  // The button that had the focus gives way to the progress.
  useEffect(() => {
    if (isRunning) cancel.current?.focus();
  }, [isRunning]);
  const { plan, request, choices, phase } = gate;
  const refusal = gateRefusal(gate);
  const failed = phase === 'ready' && gate.error !== null && gate.error.code !== 'PLAN_STALE' && refusal === null ? gate.error : null;
  const totals = plan === null ? null : totalsOf(plan, choices);
  const recalls = isRecall(plan) || plan?.kind === 'recall';
  const listed = plan !== null && refusal === null;
  return (
    <AlertDialog
      className="gate"
      width={680}
      title={
        recalls
          ? titleText('recall', isRecall(plan) ? plan.recall.text : gate.title, request.stop)
          : titleText(request.kind, gate.title, request.stop)
      }
      focus={cancel}
      onClose={closeGate}
      description={
        refusal !== null ? (
          <Banner tone="failed">{refusal.message}</Banner>
        ) : plan === null ? (
          'Working out what would change.'
        ) : (
          <p className="gate-sentence">
            {isRecall(plan) ? recallSentence(plan) : gateSentence(plan, choices, timeOfStop(request.stop))}
            {totals === null || totals.added + totals.removed === 0 ? null : <Counts added={totals.added} removed={totals.removed} />}
          </p>
        )
      }
      foot={<GateFoot gate={gate} running={running} refusal={refusal} choices={choices} cancel={cancel} />}
    >
      {/* While it runs nothing in it can be changed, but it can still be scrolled by keys. */}
      <section className="gate-scroll" aria-label="What happens" {...(isRunning ? { tabIndex: 0 } : {})}>
        <div className="gate-body" aria-busy={phase === 'loading' || isRunning} inert={isRunning}>
          {stale === null || refusal !== null ? null : (
            <Banner>{`${stale.replace(/ Look at the new preview.*$/, '')} This is the new list.`}</Banner>
          )}
          {refusal === null && plan?.refusal ? <Banner>{busyWords(plan.refusal)}</Banner> : null}
          {failed === null ? null : <Banner tone="failed">{failed.message}</Banner>}
          {isRecall(plan) ? (
            <GateRecall plan={plan} scope={request.scope} onScope={(scope) => void planAgain({ scope })} />
          ) : hasScope(request.kind) && !recalls && (plan !== null || refusal !== null) ? (
            <Segmented label="What goes back" value={request.scope} segments={SCOPES} onChange={(scope) => void planAgain({ scope })} />
          ) : null}
          {request.piece?.hunk === null ? (
            <Segmented
              label="What comes back"
              value={request.piece.side}
              segments={PIECE_SIDES}
              onChange={(side) => void choosePieceSide(side)}
            />
          ) : null}
          {plan === null && phase === 'loading' ? <Skeleton rows={4} label="Working out what would change" /> : null}
          {listed && plan.files.length > 0 ? <GateFiles request={request} plan={plan} choices={choices} /> : null}
          {plan === null ? null : (
            <>
              <GateEffects plan={plan} />
              <GateSkipped plan={plan} />
              <GateNotes plan={plan} />
            </>
          )}
        </div>
      </section>
    </AlertDialog>
  );
}

/** The question before files are written, and afterwards what was left out. Nothing while no travel is asked for. */
export function Gate() {
  const gate = useTravel((state) => state.gate);
  const running = useTravel((state) => state.running);
  // A plan that needs no question is carried out before anybody could read one.
  const late = useDelayed(gate !== null && gate.phase === 'loading' && gate.plan === null);
  if (gate !== null && (gate.phase !== 'loading' || gate.plan !== null || late)) return <GateDialog gate={gate} running={running} />;
  return <TravelReport />;
}

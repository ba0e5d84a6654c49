import { ListTree } from 'lucide-react';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Step } from '../../shared/model.ts';
import { isBetween } from '../store/compare.ts';
import { selectStep, selectTurn } from '../store/selection.ts';
import { useSession } from '../store/session-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';
import { count } from '../ui/words.ts';
import { RowList, type RowListHandle } from './row-list.tsx';
import { StepItem, TurnItem } from './step-row.tsx';
import { rowOfStep, type StepRow, stepRows, turnNumber } from './step-rows.ts';
import './steps-pane.css';

const TURN_HEIGHT = 28;
const STEP_HEIGHT = 44;

function useOpenTurns(): [ReadonlySet<number>, (turn: number, open?: boolean) => void] {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const set = useCallback((turn: number, wish?: boolean) => {
    setOpen((now) => {
      const next = new Set(now);
      if (wish ?? !now.has(turn)) next.add(turn);
      else next.delete(turn);
      return next.size === now.size ? now : next;
    });
  }, []);
  return [open, set];
}

function StepTree() {
  const view = useSession((state) => state.view);
  const index = useSession((state) => state.index);
  const selection = useSession((state) => state.selection);
  const [open, setOpen] = useOpenTurns();
  const list = useRef<RowListHandle>(null);
  /** A turn that arrow keys only passed by is not opened. */
  const passing = useRef<number | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const rows = useMemo(() => {
    const rest = (view?.steps ?? []).filter((step) => step.turn === null);
    return stepRows(view?.turns ?? [], index.stepsOfTurn, rest, open);
  }, [view, index, open]);

  const { turn, step, anchor, compare } = selection;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once for each selection, so that it can be closed again by hand
  useEffect(() => {
    if (turn !== null && (step !== null || passing.current !== turn)) setOpen(turn, true);
    passing.current = null;
    setFocused(step ?? (turn === null ? null : `turn ${turn}`));
  }, [turn, step]);
  const selectedAt = step !== null ? rowOfStep(rows, step, turn) : rows.findIndex((row) => row.key === `turn ${turn}`);
  useEffect(() => {
    if (selectedAt >= 0) list.current?.show(selectedAt);
  }, [selectedAt]);
  const from = anchor === null ? null : (index.steps.get(anchor)?.index ?? null);
  const to = step === null ? null : (index.steps.get(step)?.index ?? null);
  const isSelected = ({ index: at, stop }: Step): boolean => {
    if (compare !== undefined) return stop !== null && isBetween(compare, stop);
    return to !== null && at >= Math.min(from ?? to, to) && at <= Math.max(from ?? to, to);
  };

  const onMove = (row: StepRow, _at: number, { extend }: { extend: boolean }): void => {
    setFocused(row.key);
    if (row.kind === 'step') {
      void selectStep(row.step.id, { extend });
      return;
    }
    if (extend || row.turn === null) return;
    passing.current = row.turn.index;
    void selectTurn(row.turn.index);
  };
  const onKey = (event: KeyboardEvent, row: StepRow, at: number): boolean => {
    if (row.kind === 'turn') {
      const number = turnNumber(row.turn);
      if (event.key === 'ArrowRight' && row.open) list.current?.show(Math.min(at + 1, rows.length - 1), { focus: true });
      else if (event.key === 'ArrowRight') setOpen(number, true);
      else if (event.key === 'ArrowLeft') setOpen(number, false);
      else if (event.key === 'Enter' || event.key === ' ') setOpen(number);
      else return false;
      return true;
    }
    if (event.key === 'ArrowLeft') {
      const parent = rows.findLastIndex((entry, place) => place < at && entry.kind === 'turn');
      const header = rows[parent];
      if (header !== undefined) {
        onMove(header, parent, { extend: false });
        list.current?.show(parent, { focus: true });
      }
      return true;
    }
    if (event.key !== 'Enter' && event.key !== ' ') return false;
    void selectStep(row.step.id, { extend: event.shiftKey });
    return true;
  };
  const active = Math.max(
    0,
    rows.findIndex((row) => row.key === focused),
  );
  return (
    <RowList
      name="steps"
      label="Steps"
      multiple
      rows={rows}
      heightOf={(row) => (row.kind === 'turn' ? TURN_HEIGHT : STEP_HEIGHT)}
      active={active}
      onMove={onMove}
      onKey={onKey}
      handle={list}
      draw={(row, place) =>
        row.kind === 'step' ? (
          <StepItem key={row.key} row={row} place={place} selected={isSelected(row.step)} />
        ) : (
          <TurnItem key={row.key} row={row} place={place} onToggle={setOpen} />
        )
      }
    />
  );
}

/** The steps of the thread by turn; the selected turn is open. */
export function StepsPane() {
  const steps = useSession((state) => state.view?.steps.length ?? 0);
  const turns = useSession((state) => state.view?.turns.length ?? 0);
  const error = useSession((state) => state.fillError);
  return (
    <Pane label="Steps" title="Steps" tools={steps === 0 ? undefined : <span className="pane-note muted num">{count(steps, 'step')}</span>}>
      {error === null ? null : <Banner tone="failed">{error.message}</Banner>}
      {turns + steps === 0 ? (
        <Empty icon={<ListTree />} title="No turn yet">
          Turns and their steps appear here as the agent works.
        </Empty>
      ) : (
        <StepTree />
      )}
    </Pane>
  );
}

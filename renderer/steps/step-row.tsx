import { ChevronRight, Ellipsis, Flag, TriangleAlert } from 'lucide-react';
import { type MouseEvent, memo, type ReactElement } from 'react';
import type { Step } from '../../shared/model.ts';
import { useCursor } from '../store/cursor-store.ts';
import { selectStep, selectTurn } from '../store/selection.ts';
import { useSession } from '../store/session-store.ts';
import { IconButton } from '../ui/button.tsx';
import { ContextMenu } from '../ui/context-menu.tsx';
import { Counts } from '../ui/counts.tsx';
import { Menu } from '../ui/menu.tsx';
import { HIDDEN_WORDS } from '../ui/names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { count, oneLine, showDuration } from '../ui/words.ts';
import type { RowPlace } from './row-list.tsx';
import { itemsOfStep } from './step-menu.tsx';
import { type StepRow, turnNumber } from './step-rows.ts';
import { fileCountOf, linesOf, toolsText } from './step-words.ts';

/** After the cursor, or hidden by a revert: drawn as a ghost. */
function useGhost(stop: number | null, hidden: boolean): boolean {
  const after = useCursor((state) => state.preview !== null && stop !== null && stop > state.preview);
  return after || hidden;
}

function Facts({ step }: { step: Step }) {
  const files = fileCountOf(step);
  const { captured } = step;
  const lost = captured !== null && captured !== true;
  return (
    <span className="step-facts">
      {files === null || (files === 0 && lost) ? null : <span className="num">{files === 0 ? 'no files' : count(files, 'file')}</span>}{' '}
      {lost ? (
        <Tooltip text={captured.message}>
          <span className="step-missing">
            <TriangleAlert aria-hidden="true" />
            not captured
          </span>
        </Tooltip>
      ) : null}{' '}
      {step.durationMs === null ? null : <span className="num">{showDuration(step.durationMs)}</span>}{' '}
      {step.hidden === null ? null : <span>{step.hidden.reason === 'reverted' ? 'hidden' : HIDDEN_WORDS[step.hidden.reason]}</span>}{' '}
      {step.sideEffects === 0 ? null : (
        <Tooltip text={`${count(step.sideEffects, 'side effect')} that no revert can reach`}>
          <span className="step-effects num">
            <Flag aria-hidden="true" />
            <span aria-hidden="true">{step.sideEffects}</span>
            <span className="sr">{count(step.sideEffects, 'side effect')}</span>
          </span>
        </Tooltip>
      )}
    </span>
  );
}

interface StepItemProps {
  row: Extract<StepRow, { kind: 'step' }>;
  place: RowPlace;
  selected: boolean;
}

export const StepItem = memo(function StepItem({ row, place, selected }: StepItemProps) {
  const { step } = row;
  const ghost = useGhost(step.stop, step.hidden !== null);
  const lines = linesOf(step);
  const press = (event: MouseEvent<HTMLElement>): void => {
    if (event.target instanceof Element && event.target.closest('button') !== null) return;
    void selectStep(step.id, { extend: event.shiftKey });
  };
  return (
    <ContextMenu groups={() => itemsOfStep(step)}>
      <div
        {...place}
        tabIndex={place.tabIndex}
        role="treeitem"
        className="row-list-row step-row"
        aria-level={2}
        aria-posinset={row.position}
        aria-setsize={row.size}
        aria-selected={selected}
        data-stop={step.stop ?? undefined}
        data-ghost={ghost || undefined}
        onClick={press}
      >
        {/* The name of the row is what it shows. */}
        <span className="step-row-words">
          <span className="step-number num">
            <span className="sr">Step </span>
            {step.index}
          </span>{' '}
          <span className="step-words">
            <span className="step-tools cut">{toolsText(step)}</span> <Facts step={step} />{' '}
            {lines === null || step.files?.length === 0 ? null : <Counts added={lines.added} removed={lines.removed} />}
          </span>
        </span>
        <Menu
          align="end"
          // For the pointer: the menu key on the row opens the same, and as a part of the row it would be read out with its name.
          trigger={
            <IconButton className="step-more" label={`More for step ${step.index}`} tabIndex={-1} aria-hidden="true" icon={<Ellipsis />} />
          }
          groups={itemsOfStep(step)}
        />
      </div>
    </ContextMenu>
  );
});

interface TurnItemProps {
  row: Extract<StepRow, { kind: 'turn' }>;
  place: RowPlace;
  /** Opens or closes a turn. */
  onToggle(turn: number, open?: boolean): void;
}

export const TurnItem = memo(function TurnItem({ row, place, onToggle }: TurnItemProps): ReactElement {
  const { turn, steps, open } = row;
  // While only the end of a log is there, nobody knows how many turns come before.
  const numbered = useSession(({ partial }) => partial === null);
  const selected = useSession(({ selection }) => turn !== null && selection.turn === turn.index && selection.step === null);
  const ghost = useGhost(turn?.firstStop === null || turn === null ? null : turn.firstStop + 1, turn?.hidden != null);
  const words = turn === null ? 'Steps of no turn' : oneLine(turn.prompt) || 'No prompt';
  return (
    <div
      {...place}
      tabIndex={place.tabIndex}
      role="treeitem"
      className="row-list-row turn-row"
      aria-level={1}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={open}
      aria-selected={selected}
      data-ghost={ghost || undefined}
      onClick={(event) => {
        const onArrow = event.target instanceof Element && event.target.closest('.row-list-arrow') !== null;
        if (onArrow || turn === null || selected) {
          onToggle(turnNumber(turn));
          return;
        }
        onToggle(turn.index, true);
        void selectTurn(turn.index);
      }}
    >
      <ChevronRight className="row-list-arrow" aria-hidden="true" />
      {turn === null ? null : (
        <span className="turn-number num">
          <span className="sr">Turn </span>
          {numbered ? turn.index : '·'}
        </span>
      )}{' '}
      <span className="turn-words cut">{words}</span> <span className="turn-steps num">{count(steps, 'step')}</span>
    </div>
  );
});

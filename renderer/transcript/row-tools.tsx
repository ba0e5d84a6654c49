import { Copy, Ellipsis, FileClock, FileDiff, Reply, Undo2 } from 'lucide-react';
import { whyNoStop } from '../../shared/can-stand.ts';
import type { Message } from '../../shared/model.ts';
import { itemsOfCompare } from '../store/compare.ts';
import { useCursor } from '../store/cursor-store.ts';
import { selectStep, selectTurn } from '../store/selection.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { copyMessage, stopBefore, takeBack } from '../store/take-back.ts';
import { revertTo } from '../store/travel.ts';
import { useTravel } from '../store/travel-store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';

/** Why the thread cannot go back at all now; null when it can. */
function useRevertOff(): string | null {
  const can = useSession((state) => {
    const revert = state.view?.can.revert;
    return revert === undefined ? 'The thread is being read.' : revert === true ? null : revert.message;
  });
  const busy = useTravel((state) => state.running !== null);
  return busy ? 'A travel is running.' : can;
}

function look(message: Message): void {
  if (message.step !== null) void selectStep(message.step);
  else if (message.turn !== null) void selectTurn(message.turn);
}

/** Why the thread cannot go back to a message; null when it can. */
function useWhyNot(message: Message): string | null {
  const off = useRevertOff();
  const isHere = useCursor((state) => state.here === message.stop);
  if (off !== null) return off;
  if (isHere) return 'The thread stands here already.';
  if (message.canStand === true) return null;
  const { view, index } = sessionStore.getState();
  return (whyNoStop(view?.messages ?? [], index.rowOf.get(message.id) ?? -1) ?? message.canStand).message;
}

/**
 * The way back of a row that is neither pointed at nor focused: in the page for those who read it with a screen reader, and
 * light, because many rows are made while the transcript scrolls.
 */
export function QuietTools({ message }: { message: Message }) {
  const why = useWhyNot(message);
  const { stop } = message;
  if (stop === null) return null;
  return (
    <div className="row-acts">
      <button
        type="button"
        tabIndex={-1}
        aria-disabled={why !== null}
        title={why ?? undefined}
        onClick={() => void (why === null ? revertTo(stop) : undefined)}
      >
        Revert to here
      </button>
    </div>
  );
}

/** What can be done at a message, shown on hover and focus: the same as dragging the cursor there, and more. */
export function RowTools({ message }: { message: Message }) {
  const off = useRevertOff();
  const why = useWhyNot(message);
  const { stop } = message;
  const isPrompt = message.role === 'user';
  const before = isPrompt ? stopBefore(message) : null;
  const travels: MenuItem[] =
    stop === null
      ? []
      : [
          {
            id: 'files',
            label: 'Revert only the files to here',
            icon: <FileClock />,
            off: off,
            run: () => void revertTo(stop, 'files'),
          },
          ...(isPrompt
            ? [
                {
                  id: 'take-back',
                  label: 'Take back: go to before this prompt',
                  icon: <Reply />,
                  off: off ?? (before === null ? 'There is no stop before it.' : null),
                  run: () => void takeBack(message),
                },
              ]
            : []),
        ];
  return (
    <div className="row-acts">
      {stop === null ? null : (
        <Button
          className="row-revert"
          icon={<Undo2 />}
          off={why}
          hint="Files and messages go back to right after this message"
          onClick={() => void revertTo(stop)}
        >
          Revert to here
        </Button>
      )}
      {isPrompt ? <IconButton label="Copy prompt" icon={<Copy />} onClick={() => void copyMessage(message, 'Prompt')} /> : null}
      <Menu
        align="end"
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        groups={[
          [
            {
              id: 'look',
              label: message.step === null ? 'Show the changes of the turn' : 'Show the changes of the step',
              icon: <FileDiff />,
              off: message.step === null && message.turn === null ? 'It belongs to no turn.' : null,
              run: () => look(message),
            },
            { id: 'copy', label: 'Copy text', icon: <Copy />, run: () => void copyMessage(message, 'Text') },
          ],
          itemsOfCompare(stop, 'It is no place to stand any more.'),
          travels,
        ]}
      />
    </div>
  );
}

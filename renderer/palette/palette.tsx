import { Dialog } from '@base-ui/react/dialog';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Command, type CommandGroup, commands, runCommand } from '../commands.ts';
import { keysOf } from '../key-map.ts';
import { appStore } from '../store/app-store.ts';
import { openThread } from '../store/session.ts';
import { sessionStore } from '../store/session-store.ts';
import { threadsStore } from '../store/threads-store.ts';
import { keepFocus } from '../ui/keep-focus.ts';
import { Keys } from '../ui/keys.tsx';
import { SOURCE_NAMES, titleOfThread, workspaceName } from '../ui/names.ts';
import { rank } from './rank.ts';
import './palette.css';

interface Entry {
  id: string;
  title: string;
  group: string;
  keys: string | undefined;
  off: string | null;
  run: () => void;
}

const MOST = 60;
/** Commands that make no sense from a list: they move within one. */
const LEFT_OUT: ReadonlySet<string> = new Set(['palette', 'leave', 'list-next', 'list-previous']);

const close = (): void => appStore.setState({ overlay: null });

const entryOf = (command: Command): Entry => ({
  id: command.id,
  title: command.title,
  group: command.group,
  keys: keysOf(command, appStore.getState().settings.keys)[0],
  off: command.off(),
  run: () => runCommand(command.id),
});

const ORDER: readonly CommandGroup[] = ['Travel', 'Patch', 'Look', 'Thread', 'Cursor', 'Window'];

/** The commands that are on come first; then threads to switch to; then what is off, with its reason. */
function allEntries(): Entry[] {
  const all = ORDER.flatMap((group) => commands.filter((command) => command.group === group && !LEFT_OUT.has(command.id))).map(entryOf);
  const open = sessionStore.getState().id;
  const threads = threadsStore
    .getState()
    .threads.filter((head) => head.id !== open)
    .map(
      (head): Entry => ({
        id: `thread:${head.id}`,
        title: titleOfThread(head),
        group: `${workspaceName(head.root)} · ${SOURCE_NAMES[head.source]}`,
        keys: undefined,
        off: null,
        run: () => void openThread(head.id),
      }),
    );
  return [...all.filter((entry) => entry.off === null), ...threads, ...all.filter((entry) => entry.off !== null)];
}

function Option({
  entry,
  id,
  active,
  onChoose,
  onPoint,
}: {
  entry: Entry;
  id: string;
  active: boolean;
  onChoose: () => void;
  onPoint: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      ref={element}
      id={id}
      className="palette-entry"
      role="option"
      aria-selected={active}
      aria-disabled={entry.off !== null}
      onClick={onChoose}
      onPointerMove={onPoint}
    >
      <span className="palette-title cut">
        {entry.title}
        {entry.off === null ? null : <span className="palette-off"> — {entry.off}</span>}
      </span>
      <span className="palette-group muted cut">{entry.group}</span>
      <span className="palette-keys">{entry.keys === undefined ? null : <Keys keys={entry.keys} exact />}</span>
    </div>
  );
}

/** Every command and thread, by typing a part of its name. */
export function Palette() {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const [back] = useState(keepFocus);
  const id = useId();
  const all = useMemo(allEntries, []);
  const shown = useMemo(() => rank(all, typed, (entry) => `${entry.title} ${entry.group}`).slice(0, MOST), [all, typed]);
  const active = Math.min(at, shown.length - 1);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined || entry.off !== null) return;
    close();
    // After the dialog has given the focus back, so that a command may move it on.
    setTimeout(entry.run, 0);
  };
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt((active + by + shown.length) % Math.max(shown.length, 1));
    else if (event.key === 'Enter') choose(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="palette" aria-label="Commands" initialFocus={field} finalFocus={back}>
          <input
            ref={field}
            className="palette-field"
            role="combobox"
            aria-label="Command or thread"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={shown[active] === undefined ? undefined : `${id}-${active}`}
            placeholder="What do you want to do?"
            spellCheck={false}
            autoComplete="off"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setAt(0);
            }}
            onKeyDown={press}
          />
          <div className="palette-list" id={`${id}-list`} role="listbox" aria-label="Commands and threads">
            {shown.map((entry, order) => (
              <Option
                key={entry.id}
                id={`${id}-${order}`}
                entry={entry}
                active={order === active}
                onChoose={() => choose(entry)}
                onPoint={() => setAt(order)}
              />
            ))}
          </div>
          {shown.length === 0 ? <p className="palette-none muted">No command and no thread has that name</p> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

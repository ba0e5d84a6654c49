import { RotateCcw, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { chordRefusal } from '../../shared/chords.ts';
import { keysOfEvent } from '../app/use-hotkeys.ts';
import { type Command, type CommandGroup, commands } from '../commands.ts';
import { type ChosenKeys, commandsByKeys, keysOf, withChord, withKeys } from '../key-map.ts';
import { useApp } from '../store/app-store.ts';
import { changeSettings } from '../store/settings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Keys, signsOfKeys } from '../ui/keys.tsx';
import { SearchField } from '../ui/search-field.tsx';
import './keys-page.css';

const GROUPS: readonly CommandGroup[] = ['Travel', 'Look', 'Patch', 'Cursor', 'Thread', 'Window'];
const MODIFIERS = new Set(['control', 'shift', 'alt', 'meta', 'altgraph', 'capslock', 'dead', 'process', 'unidentified']);
const words = (chord: string): string => signsOfKeys(chord).join(' ');

const save = (keys: Record<string, string[]>): void => void changeSettings({ keys });

/** Waits for a key and says what it would mean: nothing is set before it is confirmed. */
function Recorder({ command, chosen, onEnd }: { command: Command; chosen: ChosenKeys; onEnd: () => void }) {
  const field = useRef<HTMLButtonElement>(null);
  const [chord, setChord] = useState<string | null>(null);
  useEffect(() => field.current?.focus(), []);
  const refusal = chord === null ? null : chordRefusal(chord);
  const owner = chord === null ? undefined : commandsByKeys(chosen).get(chord);
  const other = owner !== undefined && owner.id !== command.id ? owner : null;
  const press = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase();
    if (key === 'tab' || MODIFIERS.has(key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === 'escape') onEnd();
    else setChord(keysOfEvent(event.nativeEvent));
  };
  const use = (): void => {
    if (chord === null || refusal !== null) return;
    const own = keysOf(command, chosen);
    save(withChord(chosen, command, own.includes(chord) ? own : [...own, chord]));
    onEnd();
  };
  return (
    <div className="key-recorder">
      <button ref={field} type="button" className="key-record" aria-label={`New key for: ${command.title}`} onKeyDown={press}>
        {chord === null ? 'Press a key…' : <Keys keys={chord} exact />}
      </button>
      <Button variant="primary" off={chord === null ? 'Press a key first.' : refusal} onClick={use}>
        {other === null ? 'Use it' : 'Take it'}
      </Button>
      <Button onClick={onEnd}>Cancel</Button>
      <p className={refusal === null ? 'key-says' : 'key-says settings-bad'} role="status">
        {chord === null
          ? 'Esc cancels.'
          : (refusal ?? (other === null ? `${words(chord)} is free.` : `${words(chord)} runs “${other.title}” now, which would lose it.`))}
      </p>
    </div>
  );
}

function Row({ command, recording, onRecord }: { command: Command; recording: boolean; onRecord: (id: string | null) => void }) {
  const chosen = useApp((state) => state.settings.keys);
  const own = keysOf(command, chosen);
  const add = useRef<HTMLButtonElement>(null);
  const changed = Object.hasOwn(chosen, command.id);
  const end = (): void => {
    onRecord(null);
    setTimeout(() => add.current?.focus(), 0);
  };
  return (
    <li className="key-row">
      <span className="key-title">{command.title}</span>
      <span className="key-list">
        {own.length === 0 ? <span className="muted">no key</span> : null}
        {own.map((keys) => (
          <span key={keys} className="key-own">
            <Keys keys={keys} exact />
            <IconButton
              label={`Remove ${words(keys)} from: ${command.title}`}
              icon={<X />}
              onClick={() =>
                save(
                  withKeys(
                    chosen,
                    command,
                    own.filter((one) => one !== keys),
                  ),
                )
              }
            />
          </span>
        ))}
        {changed ? (
          <IconButton
            label={`Reset: ${command.title}`}
            icon={<RotateCcw />}
            onClick={() => save(withKeys(chosen, command, command.keys))}
          />
        ) : null}
        <Button ref={add} aria-label={`Add key: ${command.title}`} onClick={() => onRecord(command.id)}>
          Add key
        </Button>
      </span>
      {recording ? <Recorder command={command} chosen={chosen} onEnd={end} /> : null}
    </li>
  );
}

/** Every command with its keys; each can be given others. What Escape does cannot be changed. */
export function KeysPage() {
  const chosen = useApp((state) => state.settings.keys);
  const [typed, setTyped] = useState('');
  const [recording, setRecording] = useState<string | null>(null);
  const find = typed.trim().toLowerCase();
  const shown = commands.filter(
    (command) => command.id !== 'leave' && `${command.title} ${keysOf(command, chosen).map(words).join(' ')}`.toLowerCase().includes(find),
  );
  return (
    <>
      <div className="key-tools">
        <SearchField label="Find a command or a key" placeholder="Find a command or a key" value={typed} onChange={setTyped} />
        <Button off={Object.keys(chosen).length === 0 ? 'Every command has its own keys.' : null} onClick={() => save({})}>
          Reset all
        </Button>
      </div>
      {GROUPS.map((group) => {
        const rows = shown.filter((command) => command.group === group);
        if (rows.length === 0) return null;
        return (
          <section key={group} className="settings-part">
            <h3>{group}</h3>
            <ul className="key-rows">
              {rows.map((command) => (
                <Row key={command.id} command={command} recording={recording === command.id} onRecord={setRecording} />
              ))}
            </ul>
          </section>
        );
      })}
      {shown.length === 0 ? <p className="muted">No command has that name or key</p> : null}
    </>
  );
}

import { useRef } from 'react';
import { type Command, type CommandGroup, commands } from '../commands.ts';
import { keysOf } from '../key-map.ts';
import { appStore, useApp } from '../store/app-store.ts';
import { openSettings } from '../store/settings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Keys, signsOfKeys } from '../ui/keys.tsx';
import './keys-help.css';

const GROUPS: readonly CommandGroup[] = ['Cursor', 'Travel', 'Look', 'Patch', 'Thread', 'Window'];

function Row({ command }: { command: Command }) {
  const chosen = useApp((state) => state.settings.keys);
  return (
    <div className="help-row">
      <dt>{command.title}</dt>
      <dd>
        {keysOf(command, chosen).map((keys) => (
          <span key={keys} className="help-keys">
            <Keys keys={keys} exact />
            <span className="sr">{signsOfKeys(keys).join(' ')}</span>
          </span>
        ))}
      </dd>
    </div>
  );
}

/** All keys, from the command table. */
export function KeysHelp() {
  const chosen = useApp((state) => state.settings.keys);
  const body = useRef<HTMLElement>(null);
  return (
    <Dialog title="Keys" width={860} focus={body} onClose={() => appStore.setState({ overlay: null })}>
      <section className="help" aria-label="All keys" tabIndex={0} ref={body}>
        {GROUPS.map((group) => {
          const rows = commands.filter((command) => command.group === group && keysOf(command, chosen).length > 0);
          if (rows.length === 0) return null;
          return (
            <section key={group} className="help-group">
              <h3>{group}</h3>
              <dl>
                {rows.map((command) => (
                  <Row key={command.id} command={command} />
                ))}
              </dl>
            </section>
          );
        })}
      </section>
      <p className="help-note muted">
        Drag the cursor or a line of the transcript with the pointer; hold Alt to stop only at steps that changed files. Esc springs back.
        Nothing is written before you confirm.{' '}
        <button type="button" className="help-change" onClick={() => openSettings('keys')}>
          Change keys…
        </button>
      </p>
    </Dialog>
  );
}

import { commands } from '../commands.ts';
import { keysOf } from '../key-map.ts';
import { appStore } from '../store/app-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { showFailure } from '../store/toast-store.ts';

/** Keeps the native menu in step with the command table and the keys that the user chose. A browser has no such menu. */
export function followMenu(): void {
  let shown: unknown = null;
  appStore.subscribe(({ info, settings: { keys } }) => {
    if (info?.host !== 'electron' || shown === keys) return;
    shown = keys;
    const table = commands.map((command) => ({ id: command.id, title: command.title, keys: keysOf(command, keys) }));
    call('menu.set', { commands: table }).catch((thrown: unknown) => showFailure(reasonOfThrown(thrown)));
  });
}

import { lazy, Suspense } from 'react';
import { type Overlay, useApp } from '../store/app-store.ts';
import { useTravel } from '../store/travel-store.ts';

const parts = {
  gate: () => import('../travel/gate.tsx'),
  palette: () => import('../palette/palette.tsx'),
  keys: () => import('../palette/keys-help.tsx'),
  history: () => import('../travel/history-panel.tsx'),
  patch: () => import('../travel/patch-dialog.tsx'),
  settings: () => import('../settings/settings-dialog.tsx'),
  forget: () => import('../settings/forget-dialog.tsx'),
  folder: () => import('../start/folder-picker.tsx'),
};

const Gate = lazy(async () => ({ default: (await parts.gate()).Gate }));
const LAYERS = {
  palette: lazy(async () => ({ default: (await parts.palette()).Palette })),
  keys: lazy(async () => ({ default: (await parts.keys()).KeysHelp })),
  history: lazy(async () => ({ default: (await parts.history()).HistoryPanel })),
  patch: lazy(async () => ({ default: (await parts.patch()).PatchDialog })),
  settings: lazy(async () => ({ default: (await parts.settings()).SettingsDialog })),
  forget: lazy(async () => ({ default: (await parts.forget()).ForgetDialog })),
  folder: lazy(async () => ({ default: (await parts.folder()).FolderPicker })),
} as const satisfies Record<NonNullable<Overlay>, unknown>;

/** Fetches the dialogs ahead of their first use; they are not part of the page's first chunk. */
export function preloadOverlays(): void {
  for (const load of Object.values(parts)) void load();
}

/** Everything that lies over the window. */
export function Overlays() {
  const overlay = useApp((state) => state.overlay);
  // After a travel it stays: it also tells what was left out.
  const gated = useTravel((state) => state.gate !== null || state.last !== null);
  const Layer = overlay === null ? null : LAYERS[overlay];
  return (
    <Suspense fallback={null}>
      {gated ? <Gate /> : null}
      {Layer === null ? null : <Layer />}
    </Suspense>
  );
}

import { ChevronDown, ChevronUp, Columns2, EllipsisVertical, Rows2, UserPen } from 'lucide-react';
import { commandOf } from '../commands.ts';
import { useApp } from '../store/app-store.ts';
import { useChanges } from '../store/changes-store.ts';
import { toggleLines, useLines } from '../store/lines-store.ts';
import { sendSignal } from '../store/pane-signal.ts';
import { copyPatch, exportPatch } from '../store/patch.ts';
import { useSession } from '../store/session-store.ts';
import { changeSettings } from '../store/settings.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { Segmented } from '../ui/segmented.tsx';

/** Below this width two columns cannot be read, so one is used whatever was chosen. */
export const SPLIT_LEAST = 560;

const LAYOUTS = [
  { value: 'split', label: 'Side by side', icon: <Columns2 aria-hidden="true" /> },
  { value: 'inline', label: 'One column', icon: <Rows2 aria-hidden="true" /> },
] as const;

/** How the diff is drawn, the walk through the changes, and the way out as a patch. */
export function DiffToolbar({ narrow }: { narrow: boolean }) {
  const { diffLayout, wrap, ignoreWhitespace, ignoreLineEnds } = useApp((state) => state.settings);
  const hasFiles = useChanges((state) => state.files.length > 0);
  // Asked again whenever what it hangs on may have changed.
  useChanges((state) => state.range);
  useSession((state) => state.view);
  const patchOff = commandOf('patch-export').off();
  const lines = useLines((state) => state.on);
  const off = hasFiles ? null : 'No file is shown';
  return (
    <>
      <IconButton label="Previous change" keys="," icon={<ChevronUp />} off={off} onClick={() => sendSignal('hunk-previous')} />
      <IconButton label="Next change" keys="." icon={<ChevronDown />} off={off} onClick={() => sendSignal('hunk-next')} />
      <IconButton label="Who wrote each line" keys="a" icon={<UserPen />} pressed={lines} off={off} onClick={toggleLines} />
      {narrow ? null : (
        <Segmented
          label="Layout of the diff"
          value={diffLayout}
          segments={LAYOUTS}
          onChange={(value) => void changeSettings({ diffLayout: value })}
        />
      )}
      <Menu
        align="end"
        trigger={<IconButton label="More for this diff" icon={<EllipsisVertical />} />}
        groups={[
          [
            { id: 'wrap', label: 'Wrap long lines', checked: wrap, run: () => void changeSettings({ wrap: !wrap }) },
            {
              id: 'whitespace',
              label: 'Ignore whitespace at line ends',
              checked: ignoreWhitespace,
              run: () => void changeSettings({ ignoreWhitespace: !ignoreWhitespace }),
            },
            {
              id: 'line-ends',
              label: 'Ignore changes of line ends',
              keys: 'shift+i',
              checked: ignoreLineEnds,
              run: () => void changeSettings({ ignoreLineEnds: !ignoreLineEnds }),
            },
            {
              id: 'layout',
              label: 'Side by side',
              checked: diffLayout === 'split',
              off: narrow ? 'This pane is too narrow for two columns; make it wider.' : null,
              run: () => void changeSettings({ diffLayout: diffLayout === 'split' ? 'inline' : 'split' }),
            },
          ],
          [
            { id: 'patch', label: 'Export patch…', keys: 'e', off: patchOff, run: () => void exportPatch() },
            { id: 'copy', label: 'Copy patch', off: patchOff, run: () => void copyPatch() },
          ],
        ]}
      />
    </>
  );
}

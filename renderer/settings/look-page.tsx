import type { Settings } from '../../shared/contract.ts';
import { useApp } from '../store/app-store.ts';
import { changeSettings } from '../store/settings.ts';
import { Segmented } from '../ui/segmented.tsx';

const THEMES: readonly { value: Settings['theme']; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'High contrast' },
];

function Tick({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="settings-check">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

/** Theme, and how diffs and files are shown. */
export function LookPage() {
  const { theme, diffLayout, wrap, ignoreWhitespace, ignoreLineEnds, filesAs } = useApp((state) => state.settings);
  return (
    <>
      <section className="settings-part">
        <h3>Theme</h3>
        <Segmented label="Theme" value={theme} segments={THEMES} onChange={(value) => void changeSettings({ theme: value })} />
        <p className="muted settings-why">High contrast is light or dark as the system is.</p>
      </section>
      <section className="settings-part">
        <h3>Diffs</h3>
        <Segmented
          label="Layout of diffs"
          value={diffLayout}
          segments={[
            { value: 'split', label: 'Side by side' },
            { value: 'inline', label: 'One column' },
          ]}
          onChange={(value) => void changeSettings({ diffLayout: value })}
        />
        <Tick label="Wrap long lines" on={wrap} onChange={(on) => void changeSettings({ wrap: on })} />
        <Tick label="Ignore changes in whitespace" on={ignoreWhitespace} onChange={(on) => void changeSettings({ ignoreWhitespace: on })} />
        <Tick label="Ignore changes of line ends" on={ignoreLineEnds} onChange={(on) => void changeSettings({ ignoreLineEnds: on })} />
      </section>
      <section className="settings-part">
        <h3>Files</h3>
        <Segmented
          label="Files as"
          value={filesAs}
          segments={[
            { value: 'tree', label: 'Tree' },
            { value: 'list', label: 'List' },
          ]}
          onChange={(value) => void changeSettings({ filesAs: value })}
        />
      </section>
    </>
  );
}

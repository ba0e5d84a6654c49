import type { Settings } from '../../shared/contract.ts';
import { useApp } from '../store/app-store.ts';
import { changeSettings } from '../store/settings.ts';
import { type Segment, Segmented } from '../ui/segmented.tsx';

const THEMES: readonly Segment<Settings['theme']>[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'contrast', label: 'High contrast' },
];

const LAYOUTS: readonly Segment<Settings['diffLayout']>[] = [
  { value: 'split', label: 'Side by side' },
  { value: 'inline', label: 'One column' },
];

const LISTS: readonly Segment<Settings['filesAs']>[] = [
  { value: 'tree', label: 'Tree' },
  { value: 'list', label: 'List' },
];

type Chosen = 'theme' | 'diffLayout' | 'filesAs';

function Choice<S extends Chosen>({ label, setting, segments }: { label: string; setting: S; segments: readonly Segment<Settings[S]>[] }) {
  const value = useApp((state) => state.settings[setting]);
  return <Segmented label={label} value={value} segments={segments} onChange={(next) => void changeSettings({ [setting]: next })} />;
}

function Tick({ label, setting }: { label: string; setting: 'wrap' | 'ignoreWhitespace' | 'ignoreLineEnds' }) {
  const on = useApp((state) => state.settings[setting]);
  return (
    <label className="settings-check">
      <input type="checkbox" checked={on} onChange={(event) => void changeSettings({ [setting]: event.target.checked })} />
      {label}
    </label>
  );
}

/** Theme, and how diffs and files are shown. */
export function LookPage() {
  return (
    <>
      <section className="settings-part">
        <h3>Theme</h3>
        <Choice label="Theme" setting="theme" segments={THEMES} />
        <p className="muted settings-why">High contrast is light or dark as the system is.</p>
      </section>
      <section className="settings-part">
        <h3>Diffs</h3>
        <Choice label="Layout of diffs" setting="diffLayout" segments={LAYOUTS} />
        <Tick label="Wrap long lines" setting="wrap" />
        <Tick label="Ignore changes in whitespace" setting="ignoreWhitespace" />
        <Tick label="Ignore changes of line ends" setting="ignoreLineEnds" />
      </section>
      <section className="settings-part">
        <h3>Files</h3>
        <Choice label="Files as" setting="filesAs" segments={LISTS} />
      </section>
    </>
  );
}

import { ChevronRight, CircleDot, CircleQuestionMark, Command, Contrast, Moon, Settings2, Sun } from 'lucide-react';
import { runCommand } from '../commands.ts';
import { useApp } from '../store/app-store.ts';
import { useSession } from '../store/session-store.ts';
import { changeSettings } from '../store/settings.ts';
import { IconButton } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';
import { Menu } from '../ui/menu.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { LiveState } from './live-state.tsx';
import { SearchBox } from './search-box.tsx';
import { ThreadSwitcher } from './thread-switcher.tsx';
import './title-bar.css';

const THEME_ICONS = { system: <Contrast />, light: <Sun />, dark: <Moon />, contrast: <CircleDot /> } as const;
const THEME_NAMES = { system: 'Follow the system', light: 'Light', dark: 'Dark', contrast: 'High contrast' } as const;

function ThemeMenu() {
  const theme = useApp((state) => state.settings.theme);
  return (
    <Menu
      align="end"
      trigger={<IconButton label="Theme" icon={THEME_ICONS[theme]} />}
      groups={[
        (['system', 'light', 'dark', 'contrast'] as const).map((value) => ({
          id: value,
          label: THEME_NAMES[value],
          checked: value === theme,
          run: () => void changeSettings({ theme: value }),
        })),
      ]}
    />
  );
}

/** 40 px: where you are, search, whether the thread lives, and the window's own tools. */
export function TitleBar() {
  const open = useSession((state) => state.id !== null);
  const shown = useSession((state) => state.view !== null);
  return (
    <header className="title-bar">
      <div className="title-left">
        <Tooltip text={open ? 'All threads' : null} keys="backspace">
          <button
            type="button"
            className="title-home"
            aria-label={open ? 'All threads' : 'Turnback'}
            onClick={() => open && runCommand('close-thread')}
          >
            <Mark />
            {open ? null : <span className="title-name">Turnback</span>}
          </button>
        </Tooltip>
        {open ? (
          <>
            <ChevronRight className="title-arrow" aria-hidden="true" />
            <ThreadSwitcher />
          </>
        ) : null}
      </div>
      {shown ? <SearchBox /> : <span />}
      <div className="title-right">
        {open ? <LiveState /> : null}
        <IconButton label="Commands" keys="mod+k" icon={<Command />} onClick={() => runCommand('palette')} />
        <IconButton label="Keys" keys="?" icon={<CircleQuestionMark />} onClick={() => runCommand('keys')} className="title-help" />
        <ThemeMenu />
        <IconButton label="Settings" keys="mod+," icon={<Settings2 />} onClick={() => runCommand('settings')} className="title-help" />
      </div>
    </header>
  );
}

import { useApp } from '../store/app-store.ts';
import { locatePath } from '../store/threads.ts';
import { showPath } from '../ui/names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { splitPath } from '../ui/words.ts';

const MOST = 5;

/** Paths that were opened by hand, newest first. */
export function Recent() {
  const recent = useApp((state) => state.settings.recent);
  const home = useApp((state) => state.info?.home);
  if (recent.length === 0) return null;
  return (
    <nav className="recent" aria-label="Recent">
      <span className="muted">Recent</span>
      {recent.slice(0, MOST).map((path) => (
        <Tooltip key={path} text={showPath(path, home)}>
          <button type="button" className="recent-path cut" onClick={() => void locatePath(path)}>
            {splitPath(path.replace(/[\\/]+$/, '')).name || path}
          </button>
        </Tooltip>
      ))}
    </nav>
  );
}

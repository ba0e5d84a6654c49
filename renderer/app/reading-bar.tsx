import { closeThread } from '../store/session.ts';
import { useSession } from '../store/session-store.ts';
import { Button } from '../ui/button.tsx';
import { showBytesOf } from '../ui/words.ts';
import '../ui/progress.css';
import './reading-bar.css';

/** How far a log is read, in bytes; a bar without an end while that is not known. */
export function ReadingProgress() {
  const reading = useSession((state) => state.reading);
  const total = reading?.total ?? null;
  const known = reading !== null && total !== null && total > 0;
  const words = known ? showBytesOf(reading.done, total) : null;
  return (
    <>
      <div
        className="progress"
        role="progressbar"
        aria-label="Reading the log"
        {...(known
          ? { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': Math.min(reading.done, total), 'aria-valuetext': words ?? '' }
          : {})}
      >
        {known ? <b style={{ width: `${Math.min(100, (reading.done / total) * 100)}%` }} /> : <i />}
      </div>
      {words === null ? null : <span className="reading-bytes muted num">{words}</span>}
    </>
  );
}

/** Above the panes while only the end of the log is shown. */
export function ReadingBar() {
  const partial = useSession((state) => state.partial !== null);
  if (!partial) return null;
  return (
    <div className="reading-bar">
      <span role="status">These are the last messages; the log is still being read. Reverting, files and diffs come with the rest.</span>
      <ReadingProgress />
      <Button onClick={closeThread}>Cancel</Button>
    </div>
  );
}

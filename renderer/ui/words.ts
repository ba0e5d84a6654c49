const number = new Intl.NumberFormat('en-US');

/** "1,234". Small ones go around the formatter, which is slow where a list draws hundreds. */
export const showNumber = (value: number): string =>
  Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : number.format(value);

/** "1 file", "6 files"; irregular plurals are given. */
export const count = (value: number, one: string, many = `${one}s`): string => `${showNumber(value)} ${value === 1 ? one : many}`;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** "812 bytes", "14 KB", "1.2 MB"; steps of 1,000, as disks and the file manager count. */
export function showBytes(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${UNITS[unit]}`;
}

/** "41 of 104 MB": both in the unit of the whole. */
export function showBytesOf(done: number, total: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(total, 1) * 1.0005) / 3), UNITS.length - 1);
  if (unit === 0) return `${showNumber(Math.min(done, total))} of ${showBytes(total)}`;
  const value = Math.min(done, total) / 1000 ** unit;
  return `${total / 1000 ** unit < 9.95 ? value.toFixed(1) : Math.round(value)} of ${showBytes(total)}`;
}

/** "420 ms", "3.1 s", "2 min 5 s", "1 h 4 min" */
export function showDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  if (minutes < 60) return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' });

/** "09:41" */
export const showClock = (at: number): string => clock.format(at);

/** "Monday, 30 November 2026 at 09:41:07" */
export const showExactTime = (at: number): string => exact.format(at);

/** "just now", "4 min ago", "3 h ago", "yesterday", "12 Nov", "12 Nov 2025" */
export function showAgo(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  if (seconds < 45) return 'just now';
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 20) return `${hours} h ago`;
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days <= 1) return 'yesterday';
  if (days < 7) return `${days} days ago`;
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear).format(at);
}

/** The last part of a path, and what is before it with its slash. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return { folder: path.slice(0, at + 1), name: path.slice(at + 1) };
}

/** Text on one line, for titles and rows. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

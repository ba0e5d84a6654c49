/** What a terminal takes: the line that tells that a command still works is only for one. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEARED = '\r\x1b[K';

/**
 * A line on the terminal from the second second of a silence on, so that a long command does not look as if it hung. `heard` is called
 * before anything else is written: it takes the line away. `stop` ends it.
 */
export function stillWorking(terminal: Terminal, every = 1000): { heard(): void; stop(): void } {
  if (!terminal.isTTY) return { heard: () => {}, stop: () => {} };
  const started = Date.now();
  let shown = false;
  const tell = (): void => {
    shown = true;
    terminal.write(`${CLEARED}Working, ${Math.round((Date.now() - started) / 1000)} s so far`);
  };
  let timer = setInterval(tell, every);
  const clear = (): void => {
    if (shown) terminal.write(CLEARED);
    shown = false;
  };
  return {
    heard() {
      clear();
      clearInterval(timer);
      timer = setInterval(tell, every);
    },
    stop() {
      clear();
      clearInterval(timer);
    },
  };
}

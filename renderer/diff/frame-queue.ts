/** Runs heavy little tasks one a frame, newest first, so that no frame pays for two editors. */
export interface FrameQueue {
  /** Runs the task in a later frame; the result cancels it while it has not run. */
  add(task: () => void): () => void;
}

export function createFrameQueue(nextFrame: (run: () => void) => void = (run) => requestAnimationFrame(() => run())): FrameQueue {
  const tasks: (() => void)[] = [];
  let scheduled = false;
  const turn = (): void => {
    scheduled = false;
    const task = tasks.pop();
    if (tasks.length > 0) schedule();
    task?.();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    nextFrame(turn);
  };
  return {
    add(task) {
      tasks.push(task);
      schedule();
      return () => {
        const at = tasks.indexOf(task);
        if (at >= 0) tasks.splice(at, 1);
      };
    },
  };
}

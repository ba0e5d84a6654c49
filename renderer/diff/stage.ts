import type { Range } from '../../shared/contract.ts';
import type { DiffLoader } from './diff-loader.ts';
import type { DiffLook } from './diff-look.ts';
import type { FrameQueue } from './frame-queue.ts';
import type { EditorPool, TextHandle } from './mount-text.ts';
import type { Stack } from './stack.ts';

/** What all sections of one list share. It is made anew when the list or the look changes. */
export interface DiffStage {
  readonly thread: string;
  readonly range: Range;
  readonly stack: Stack;
  readonly loader: DiffLoader;
  readonly look: DiffLook;
  readonly frames: FrameQueue;
  /** Null while Monaco loads. */
  readonly pool: EditorPool | null;
  fold(index: number): void;
  ready(index: number, handle: TextHandle): void;
  gone(index: number): void;
  handle(index: number): TextHandle | null;
}

/** One result of a benchmark. */
export interface BenchRow {
  name: string;
  /** Milliseconds of what is measured: a median. */
  ours: number;
  /** Milliseconds of the floor or peer, in the same run. */
  floor: number;
  /** The most that ours may take, as a multiple of the floor. */
  target: number;
}

/** One result of a benchmark. */
export interface BenchRow {
  name: string;
  /** What is measured: a median in milliseconds, or a count where the name says so. */
  ours: number;
  /** The floor or peer in the same run, or a limit. */
  floor: number;
  /** The most that ours may take, as a multiple of the floor. */
  target: number;
}

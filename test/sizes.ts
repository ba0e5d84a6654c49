/** Which sizes this run has: `ci` by default, `nightly` with TURNBACK_NIGHTLY=1. */
export const run: 'ci' | 'nightly' = process.env['TURNBACK_NIGHTLY'] === '1' ? 'nightly' : 'ci';

/** How many of something a test makes: a number that a CI run affords, and the one that the nightly run affords. */
export const size = (ci: number, nightly: number): number => (run === 'nightly' ? nightly : ci);

/** What every CI run draws from: a change is judged by its own merit, not by the luck of the draw. */
const CI_SEED = 20_261_130;

/** The seed of a random test: the same in each CI run, new in each nightly one, or TURNBACK_SEED to run a failure again. Tests print it. */
export const seedOf = (): number => {
  const given = process.env['TURNBACK_SEED'];
  if (given !== undefined) return Number(given);
  return run === 'ci' ? CI_SEED : Math.floor(Math.random() * 0x7fff_ffff);
};

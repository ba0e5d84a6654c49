/** Which sizes this run has: `ci` by default, `nightly` with TURNBACK_NIGHTLY=1. */
export const run: 'ci' | 'nightly' = process.env['TURNBACK_NIGHTLY'] === '1' ? 'nightly' : 'ci';

/** How many of something a test makes: a number that a CI run affords, and the one that the nightly run affords. */
export const size = (ci: number, nightly: number): number => (run === 'nightly' ? nightly : ci);

/** The seed of a random test: new in each run, or the one of TURNBACK_SEED to run a failure again. Tests print it. */
export const seedOf = (): number => {
  const given = process.env['TURNBACK_SEED'];
  return given === undefined ? Math.floor(Math.random() * 0x7fff_ffff) : Number(given);
};

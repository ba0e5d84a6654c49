/** The place of the standing-bar. */
export function StandingBar() {
  return null;
}

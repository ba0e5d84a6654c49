/** The place of the gate. */
export function Gate() {
  return null;
}

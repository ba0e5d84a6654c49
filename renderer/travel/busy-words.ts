import type { Reason } from '../../shared/errors.ts';

/** What to know before going on while another agent works in the folder: the refusal names its thread. */
export function busyWords({ message }: Reason): string {
  return `${message.replace(/ Wait until it rests.*$/s, '')} What it writes meanwhile stays: each file is looked at once more right before it is written. It does not know that they changed.`;
}

import type { ThreadView } from '../../shared/contract.ts';

/** What the thread stands at. A recall that is planned is not yet effective: until it is, the thread stands at its end. */
export const standingOf = ({ standing }: ThreadView): ThreadView['standing'] => (standing?.pending === undefined ? standing : null);

/** The one channel that the preload invokes: call name and input in, answer out. */
export const CALL_CHANNEL = 'turnback:call';

/** The one channel that main pushes on: event name and payload. */
export const EVENT_CHANNEL = 'turnback:event';

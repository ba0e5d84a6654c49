import type { Scope } from '../../shared/plan.ts';
import { sessionStore } from './session-store.ts';

/** What goes back unless another scope is chosen: files and messages, but a recall leaves the files unless they are asked for. */
export const usualScope = (): Scope => (sessionStore.getState().view?.head.source === 'dsh' ? 'messages' : 'both');

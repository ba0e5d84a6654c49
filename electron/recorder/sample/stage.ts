import type { Session } from '../session.ts';
import type { ScriptedAgent } from './scripted-agent.ts';
import type { StoryClock } from './story-clock.ts';

/** Who takes part in the story. */
export interface Stage {
  session: Session;
  agent: ScriptedAgent;
  clock: StoryClock;
}

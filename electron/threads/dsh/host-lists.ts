import { type ChangeLists, noChangeLists } from './change-lists.ts';
import { webChangeLists } from './web-change-lists.ts';

/**
 * The change lists of the DSH web host that the environment names (`TURNBACK_DSH_URL`, `TURNBACK_DSH_TOKEN`); without one every list
 * is lost. A wrong address says so when the first list is asked for, so that the thread opens all the same.
 */
export function hostLists(env: Readonly<Record<string, string | undefined>>): ChangeLists {
  const address = env['TURNBACK_DSH_URL'];
  if (!address) return noChangeLists;
  let lists: ChangeLists | null = null;
  const host = (): ChangeLists => {
    lists ??= webChangeLists(address, env['TURNBACK_DSH_TOKEN'] ?? '');
    return lists;
  };
  return {
    summary: async (sessionId, seq) => host().summary(sessionId, seq),
    diff: async (sessionId, seq, index) => host().diff(sessionId, seq, index),
  };
}

import { TurnbackError } from '../../../shared/errors.ts';
import { type ChangeLists, changeDiffSchema, changeSummarySchema } from './change-lists.ts';

/** A host that does not answer is treated like one that does not run. */
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * The change lists of a running DSH web host (formats/dsh.md, reading it from another process). Only addresses of this machine are
 * asked: Turnback speaks to no other. 404 means that the list is not held any more; anything else unexpected is HOST_UNREACHABLE.
 */
export function webChangeLists(address: string, token: string): ChangeLists {
  const base = new URL(address);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(base.hostname) || base.protocol !== 'http:') {
    throw new TurnbackError('HOST_UNREACHABLE', { address, cause: 'only an http address of this machine is asked' });
  }
  const get = async (route: string, query: Record<string, string>): Promise<unknown> => {
    const url = new URL(`/api/${route}?${new URLSearchParams(query)}`, base);
    let answer: Response;
    try {
      answer = await fetch(url, {
        headers: { authorization: `Bearer ${token}`, origin: base.origin },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (thrown) {
      throw new TurnbackError('HOST_UNREACHABLE', { address, cause: thrown instanceof Error ? thrown.message : String(thrown) });
    }
    if (answer.status === 404) return null;
    if (!answer.ok) throw new TurnbackError('HOST_UNREACHABLE', { address, cause: `it answered ${answer.status}` });
    const body = await answer.text();
    if (body.length > MOST_BYTES) throw new TurnbackError('HOST_UNREACHABLE', { address, cause: 'its answer is too large' });
    return JSON.parse(body);
  };
  return {
    async summary(sessionId, seq) {
      const value = await get('changes.summary', { sessionId, seq: String(seq) });
      return value === null ? null : changeSummarySchema.parse(value);
    },
    async diff(sessionId, seq, index) {
      const value = await get('changes.diff', { sessionId, seq: String(seq), index: String(index) });
      return value === null ? null : changeDiffSchema.parse(value);
    },
  };
}

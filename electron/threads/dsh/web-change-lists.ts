import type { z } from 'zod';
import { causeOf, TurnbackError } from '../../../shared/errors.ts';
import { type ChangeLists, changeDiffSchema, changeSummarySchema } from './change-lists.ts';

/** A host that does not answer is treated like one that does not run. */
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;

const words = (thrown: unknown): string => causeOf(thrown).replace(/\.$/, '');

/** The address when it is one of this machine: Turnback speaks to no other. */
function loopback(address: string): URL {
  const base = URL.canParse(address) ? new URL(address) : null;
  if (base?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(base.hostname)) return base;
  throw new TurnbackError('HOST_UNREACHABLE', { address, cause: 'only an http address of this machine is asked' });
}

/** The text of an answer; it is let go as soon as it is too large, whatever the host says of its length. */
async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error('its answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * The change lists of a running DSH web host (formats/dsh.md, reading it from another process). Only addresses of this machine are
 * asked. 404 means that the list is not held any more; anything else unexpected is HOST_UNREACHABLE with its cause.
 */
export function webChangeLists(address: string, token: string): ChangeLists {
  const base = loopback(address);
  const get = async <T>(route: string, query: Record<string, string>, schema: z.ZodType<T>): Promise<T | null> => {
    const url = new URL(`/api/${route}?${new URLSearchParams(query)}`, base);
    const failed = (cause: string): TurnbackError => new TurnbackError('HOST_UNREACHABLE', { address: base.origin, cause });
    let value: unknown;
    try {
      const answer = await fetch(url, {
        headers: { authorization: `Bearer ${token}`, origin: base.origin },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (answer.status === 404) {
        await answer.body?.cancel();
        return null;
      }
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
      value = JSON.parse(await textOf(answer));
    } catch (thrown) {
      throw failed(thrown instanceof SyntaxError ? 'its answer is no JSON' : words(thrown));
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw failed(`its answer for ${route} has another form than this version knows`);
  };
  return {
    summary: (sessionId, seq) => get('changes.summary', { sessionId, seq: String(seq) }, changeSummarySchema),
    diff: (sessionId, seq, index) => get('changes.diff', { sessionId, seq: String(seq), index: String(index) }, changeDiffSchema),
  };
}

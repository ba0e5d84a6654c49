import type { Transport } from '../shared/client.ts';
import type { Answer } from '../shared/contract.ts';
import { reason } from '../shared/errors.ts';

const TOKEN_KEY = 'turnback.token';
const RETRY_MS = [250, 500, 1000, 2000, 4000];

export interface BrowserTransportOptions {
  /** `lost` while it tries to connect again. */
  onState: (state: 'open' | 'lost') => void;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  text: string;
  sent: boolean;
}

/** Takes the token out of the address, so that it is not seen, copied or kept in the history. It survives a reload. */
function takeToken(): string {
  const named = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (named !== undefined) {
    sessionStorage.setItem(TOKEN_KEY, named);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return named ?? sessionStorage.getItem(TOKEN_KEY) ?? '';
}

const lost: Answer = { ok: false, error: reason('HOST_LOST') };

/** Calls and events over one WebSocket of the page's own origin. Calls made while it connects wait; those on their way when it breaks fail. */
export function browserTransport({ onState }: BrowserTransportOptions): Transport {
  const token = takeToken();
  const address = `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/ipc`;
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: string, payload: unknown) => void>();
  let socket: WebSocket | null = null;
  let tries = 0;
  let next = 1;

  const send = (call: Waiting): void => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    call.sent = true;
    socket.send(call.text);
  };

  const receive = (text: string): void => {
    const message = JSON.parse(text) as { id?: number; answer?: Answer; event?: string; payload?: unknown };
    if (message.event !== undefined) {
      for (const listener of listeners) listener(message.event, message.payload);
      return;
    }
    const call = message.id === undefined ? undefined : waiting.get(message.id);
    if (call === undefined || message.id === undefined || message.answer === undefined) return;
    waiting.delete(message.id);
    call.resolve(message.answer);
  };

  /** Gives up on calls that were sent, or on all of them. */
  const fail = (all: boolean): void => {
    for (const [id, call] of [...waiting]) {
      if (!call.sent && !all) continue;
      waiting.delete(id);
      call.resolve(lost);
    }
  };

  const connect = (): void => {
    const opening = new WebSocket(address, ['turnback.v1', `token.${token}`]);
    socket = opening;
    opening.onopen = () => {
      tries = 0;
      onState('open');
      for (const call of waiting.values()) send(call);
    };
    opening.onmessage = (event) => receive(String(event.data));
    opening.onclose = () => {
      onState('lost');
      fail(tries > 2);
      setTimeout(connect, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
      tries += 1;
    };
  };
  connect();

  return {
    invoke: (call, input) =>
      new Promise<Answer>((resolve) => {
        const id = next++;
        const entry = { resolve, text: JSON.stringify({ id, call, input }), sent: false };
        waiting.set(id, entry);
        send(entry);
      }),
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

import { WebSocket } from 'ws';

/** A page of the browser host without a browser: calls as the renderer makes them. */
export interface PageClient {
  call(name: string, input?: unknown): Promise<unknown>;
  close(): void;
}

/** Connects as the page at `url` does, with the token of its fragment. */
export async function pageClient(url: string): Promise<PageClient> {
  const { host, hash } = new URL(url);
  const socket = new WebSocket(`ws://${host}/ipc`, ['turnback.v1', `token.${hash.slice('#t='.length)}`], { origin: `http://${host}` });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (answer: unknown) => void>();
  let next = 1;
  socket.on('message', (data) => {
    const { id, answer } = JSON.parse(String(data)) as { id?: number; answer?: unknown };
    if (id !== undefined) waiting.get(id)?.(answer);
  });
  return {
    call: (name, input = {}) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, call: name, input }));
      }),
    close: () => socket.terminate(),
  };
}

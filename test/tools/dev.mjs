// `npm run dev [PATH]`: the page from Vite's server with hot reload, over the real engine behind the browser host.
import { mkdirSync } from 'node:fs';
import { createServer } from 'vite';
import { startServing } from '../../electron/host/serve.ts';

// The host serves its own page too, which is not the one looked at here and need not be built.
mkdirSync('out/renderer', { recursive: true });
const serving = await startServing({ port: 0, path: process.argv[2] ?? null });
const server = await createServer({
  configFile: 'vite.renderer.config.ts',
  // The page's origin and its Host stay those of Vite's server, so the host's own checks hold on the way through.
  server: { host: '127.0.0.1', proxy: { '/ipc': { target: `http://127.0.0.1:${serving.port}`, ws: true } } },
});
await server.listen();
const address = server.resolvedUrls?.local[0] ?? '';
process.stdout.write(`${address}${new URL(serving.url).hash}\n`);

const end = async () => {
  await server.close();
  await serving.close();
};
process.once('SIGINT', () => void end());
process.once('SIGTERM', () => void end());

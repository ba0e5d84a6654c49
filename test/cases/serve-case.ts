// The browser host over the tests' own source, as a process of its own: node test/cases/serve-case.ts [PATH]. Prints its address.
import { startServing, untilAsked } from '../../electron/host/serve.ts';
import { neutralSource } from './neutral-source.ts';

const serving = await startServing({ port: 0, path: process.argv[2] ?? null, sources: [neutralSource] });
process.stdout.write(`${serving.url}\n`);
await untilAsked();
await serving.close();

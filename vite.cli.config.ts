import { defineConfig } from 'vite';
import { nodeBundle } from './vite.node.ts';

export default defineConfig(nodeBundle('electron/cli.ts', 'out/cli', 'turnback.cjs'));

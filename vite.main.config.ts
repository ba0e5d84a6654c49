import { defineConfig } from 'vite';
import { nodeBundle } from './vite.node.ts';

export default defineConfig(nodeBundle('electron/main.ts', 'out/app', 'main.cjs'));

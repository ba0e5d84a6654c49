import { electronHost } from './electron-host.ts';
import { states } from './states.ts';

states(electronHost);

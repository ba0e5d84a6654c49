import { browserHost } from './browser-host.ts';
import { states } from './states.ts';

states(browserHost);

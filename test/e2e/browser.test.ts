import { browserHost } from './browser-host.ts';
import { scenario } from './scenario.ts';

// The page is the same in both hosts; only its start screen knows the difference.
scenario(browserHost, ['start']);

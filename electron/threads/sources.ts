import { claudeCode } from './claude-code/claude-source.ts';
import { dsh } from './dsh/dsh-source.ts';
import { opencode } from './opencode/opencode-source.ts';
import type { Source } from './source.ts';
import { tanstack } from './tanstack/tanstack-source.ts';

/** Every kind of store that Turnback opens, in the order in which they are asked about a path. */
export const sources: readonly Source[] = [tanstack, dsh, opencode, claudeCode];

/** Event types of formats 2 and 3 (formats/dsh.md, event table); a name that ends in `/` stands for a family. */
const KNOWN = [
  'turn/start turn/end step/start step/end session/end-seed',
  'user/message assistant/message tool/result tool/call assistant/attempt request/header request/context llm/retry llm/retry-started',
  'tool/ptc-dispatch-start tool/ptc-dispatch workspace/changes agent/inbox/spliced session/title todo/write',
  'approval/asked approval/decided approval/policy permission/preset sandbox/mode plan/mode model/selection command/run command/done',
  'compaction/start compaction/summary compaction/end compaction/prune goal/change hook/invoked hook/result schedule/change',
  'deliverables/presented web/deepseek-search-llm-request session-log-deepseek/delivery-accepted',
].flatMap((line) => line.split(' '));

const FAMILIES = ['feedback/', 'subagent/', 'team/', 'tool-workflow/'];

const types = new Set(KNOWN);

/** Does a reader of this format know the type? One that it does not know and that is not `ignorable` ends the log for it. */
export function isKnownType(type: string, version: number): boolean {
  if (types.has(type) || FAMILIES.some((family) => type.startsWith(family))) return true;
  if (type === 'system/message') return version >= 3;
  if (type === 'developer/message' || type === 'image/offload') return version >= 4;
  if (type === 'assistant/chunk') return version <= 1;
  return version <= 2 && type.startsWith('tool/code-dispatch');
}

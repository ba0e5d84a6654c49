import type { Plan, RecallShown } from '../../shared/plan.ts';
import { count } from '../ui/words.ts';

/** A plan that is a recall. */
export type RecallPlan = Plan & { recall: RecallShown };

export const isRecall = (plan: Plan | null): plan is RecallPlan => plan?.recall !== undefined;

const files = (plan: Plan): string => count(plan.files.length, 'file');

/** What a recall does, when, and whether that can be taken back. */
export function recallSentence(plan: RecallPlan): string {
  const put = plan.files.length === 0 ? '' : ` ${files(plan)} ${plan.files.length === 1 ? 'goes' : 'go'} back to before these turns.`;
  const messages = `${count(plan.messages, 'message')} ${plan.messages === 1 ? 'leaves' : 'leave'} the agent's memory`;
  switch (plan.recall.log) {
    case 'appended':
      return `${messages}, for good; the text can be copied.${put}`;
    case 'pending':
      return `${messages} when DSH opens the next step; until then you can drop this plan.${put}`;
    case 'none':
      return `${put === '' ? 'No file changes.' : put.trim()} The conversation stays; you can undo this.`;
  }
}

/** "Take back 2 messages", "Plan to take back 2 messages and restore 5 files", "Restore 5 files". */
export function recallButton(plan: RecallPlan): string {
  const restore = plan.files.length === 0 ? null : `restore ${files(plan)}`;
  if (plan.recall.log === 'none') return restore === null ? 'Restore nothing' : restore.replace(/^r/, 'R');
  const verb = plan.recall.log === 'pending' ? 'Plan to take back' : 'Take back';
  return [`${verb} ${count(plan.messages, 'message')}`, restore].filter((part) => part !== null).join(' and ');
}

/** The turns of a recall with the paths that each changed, in the order of the list. */
export function changedByTurn({ recall }: RecallPlan): { turn: number; files: RecallShown['changed'] }[] {
  const turns = new Map<number, RecallShown['changed']>();
  for (const file of recall.changed) turns.set(file.turn, [...(turns.get(file.turn) ?? []), file]);
  return [...turns].map(([turn, found]) => ({ turn, files: found }));
}

import type { ThreadView } from '../../shared/contract.ts';
import { type Reason, reason } from '../../shared/errors.ts';
import type { Can } from '../../shared/model.ts';
import { dropRefusal, logRefusal, notIdle, occupied, standingRefusal, workspaceRefusal } from './gate.ts';
import { isReason, redoPointOf, turnRefusal, undoPointOf } from './intend-turn.ts';
import { type Situation, situationOf } from './situation.ts';
import type { TravelContext } from './travel-context.ts';

/** The thread as it was read last with our overlay applied, and what may be done with it. Only reads. */
export async function viewOf(context: TravelContext): Promise<ThreadView> {
  const situation = await situationOf(context);
  const { thread } = situation;
  const common = notIdle(situation) ?? (await occupied(situation));
  const log = await logRefusal(situation);
  const can = (...reasons: (Reason | null)[]): Can => reasons.find((why) => why !== null) ?? true;
  const turn = (point: object): Can =>
    can(
      turnRefusal(situation),
      notIdle(situation),
      thread.standing === null ? null : reason('REVERT_STANDS'),
      isReason(point) ? point : null,
      common,
      log,
    );
  const { pending, standing } = situation;
  const planned = standing?.by === 'us' ? standing.stack : [];
  const drop =
    pending === null
      ? null
      : await dropRefusal(
          situation,
          planned.some((record) => record.files.length > 0),
        );
  return {
    ...thread,
    can: {
      revert: can(common, revertReason(situation, log)),
      unrevert: pending !== null ? can(drop) : can(notIdle(situation), standingRefusal(situation), common, log),
      undo: turn(undoPointOf(situation)),
      redo: turn(redoPointOf(situation)),
      patch: can(patchReason(situation)),
    },
  };
}

/** Something can go back as long as files or messages can; which of them, the plan tells. */
function revertReason(situation: Situation, log: Reason | null): Reason | null {
  if (situation.standing?.by === 'other') return reason('REVERT_STANDS');
  if (situation.thread.messages.every((message) => message.stop === null)) return reason('NOTHING_AFTER');
  const { storeReason, store } = situation.context.thread;
  const files = workspaceRefusal(situation) ?? (store === null ? storeReason : null);
  return files !== null && log !== null ? log : null;
}

function patchReason({ context, thread }: Situation): Reason | null {
  if (context.thread.store === null) return context.thread.storeReason ?? reason('NO_SNAPSHOTS');
  return thread.steps.some((step) => step.from !== null && step.to !== null && step.from !== step.to) ? null : reason('NO_FILES_IN_PATCH');
}

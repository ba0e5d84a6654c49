import { useCallback, useEffect, useState } from 'react';
import type { Retention } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { CleanEntry, CleanPlan } from '../../shared/own-data.ts';
import { useApp } from '../store/app-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { changeSettings } from '../store/settings.ts';
import { showToast } from '../store/toast-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { When } from '../ui/when.tsx';
import { count, showBytes } from '../ui/words.ts';
import { LimitField } from './limit-field.tsx';

const GIGABYTE = 1_000_000_000;
const WHY: Record<CleanEntry['why'], string> = {
  days: 'older than the limit',
  entries: 'too many in its workspace',
  bytes: 'over the size limit',
};

type Loaded = { plan: CleanPlan | null; error: Reason | null };

/** What would go under these limits; asked again when they change or when `again` is called. */
function usePlan(retention: Retention): Loaded & { again: () => void } {
  const [loaded, setLoaded] = useState<Loaded>({ plan: null, error: null });
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn asks again
  useEffect(() => {
    let ended = false;
    call('clean.preview', { retention }).then(
      (plan) => !ended && setLoaded({ plan, error: null }),
      (thrown: unknown) => !ended && setLoaded({ plan: null, error: reasonOfThrown(thrown) }),
    );
    return () => {
      ended = true;
    };
  }, [retention, turn]);
  return { ...loaded, again: useCallback(() => setTurn((at) => at + 1), []) };
}

function Goes({ goes }: { goes: CleanPlan['goes'] }) {
  if (goes.length === 0) return <p className="muted">Nothing is over the limits.</p>;
  return (
    <>
      <p>
        {count(goes.length, 'snapshot')} {goes.length === 1 ? 'goes' : 'go'}, about{' '}
        {showBytes(goes.reduce((sum, { frees }) => sum + frees, 0))}. These travels cannot be undone after that; your files stay as they
        are.
      </p>
      <ul className="settings-list-of" aria-label="What goes">
        {goes.slice(0, 100).map((one) => (
          <li key={one.entry}>
            <span className="cut">
              {one.kind} to {one.target}, {count(one.files, 'file')}
            </span>
            <span className="muted">
              <When at={one.at} />, {WHY[one.why]}
            </span>
          </li>
        ))}
      </ul>
      {goes.length > 100 ? <p className="muted">and {goes.length - 100} more</p> : null}
    </>
  );
}

/** How long what travels replaced is kept, what it takes now, and cleaning it up. */
export function SafetyPage() {
  const retention = useApp((state) => state.settings.retention);
  const { plan, error, again } = usePlan(retention);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Reason | null>(null);
  const set = (change: Partial<Retention>): void => void changeSettings({ retention: { ...retention, ...change } });
  const clean = async (): Promise<void> => {
    setBusy(true);
    setFailed(null);
    try {
      const { dropped, freed, waiting } = await call('clean.run', {});
      const later = waiting === 0 ? '' : ` ${count(waiting, 'workspace')} left for later: a travel is under way there.`;
      showToast({ tone: 'done', text: `${count(dropped, 'snapshot')} cleaned up, ${showBytes(freed)} freed.${later}` });
    } catch (thrown) {
      setFailed(reasonOfThrown(thrown));
    } finally {
      setBusy(false);
      again();
    }
  };
  const off = busy ? 'It is being cleaned up.' : plan === null ? 'It is not known yet what would go.' : null;
  const why = error ?? failed;
  return (
    <>
      <section className="settings-part">
        <h3>Kept at most</h3>
        <LimitField
          label="By age"
          unit="days"
          value={retention.days}
          least={1}
          most={36_500}
          usual={90}
          onChange={(days) => set({ days })}
        />
        <LimitField
          label="By count"
          unit="travels in one workspace"
          value={retention.entries}
          least={1}
          most={100_000}
          usual={200}
          onChange={(entries) => set({ entries })}
        />
        <LimitField
          label="By size"
          unit="GB in all"
          value={retention.bytes === null ? null : Math.max(Math.round(retention.bytes / GIGABYTE), 1)}
          least={1}
          most={100_000}
          usual={5}
          onChange={(size) => set({ bytes: size === null ? null : size * GIGABYTE })}
        />
        <p className="muted settings-why">
          Before each travel Turnback keeps the files that it replaces. What a standing revert or an unfinished travel needs, and the newest
          of each thread, always stays. Snapshots of the agents are never touched.
        </p>
      </section>
      <section className="settings-part">
        <h3>Now</h3>
        {plan === null ? (
          error === null && <p className="muted">Looking…</p>
        ) : (
          <>
            <p className="num">
              {count(plan.use.entries, 'snapshot')} in {count(plan.use.workspaces, 'workspace')}, {showBytes(plan.use.bytes)}
            </p>
            <Goes goes={plan.goes} />
            {plan.problems.map(({ thread, message }) => (
              <Banner key={thread} tone="failed">
                {thread}: {message}
              </Banner>
            ))}
          </>
        )}
        {why === null ? null : <Banner tone="failed">{why.message}</Banner>}
        <div className="settings-foot">
          <Button off={off} onClick={() => void clean()}>
            Clean up now
          </Button>
        </div>
      </section>
    </>
  );
}

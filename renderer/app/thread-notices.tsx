import { Copy, RotateCw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Reason } from '../../shared/errors.ts';
import { copyText } from '../store/patch.ts';
import { reloadThread } from '../store/session.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { LocateTools } from './locate-tools.tsx';

const SHOWN = 2;

function Notice({ reason, onClose }: { reason: Reason; onClose: () => void }) {
  return (
    <Banner
      tools={
        <>
          <LocateTools code={reason.code} />
          <IconButton label="Copy details" icon={<Copy />} onClick={() => void copyText(`${reason.code}: ${reason.message}`, 'Details')} />
          <IconButton label="Close notice" icon={<X />} onClick={onClose} />
        </>
      }
    >
      {reason.message}
    </Banner>
  );
}

/** What is off about the open thread. Two at once; the rest behind a button. */
export function ThreadNotices() {
  const id = useSession((state) => state.id);
  const notices = useSession((state) => state.view?.notices ?? null);
  const fillError = useSession((state) => state.fillError);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thread has notices of its own
  useEffect(() => {
    setClosed(new Set());
    setAll(false);
  }, [id]);
  const left = (notices ?? []).filter((notice) => !closed.has(notice.message));
  const shown = all ? left : left.slice(0, SHOWN);
  return (
    <>
      {fillError === null ? null : (
        <Banner
          tone="failed"
          tools={
            <Button icon={<RotateCw />} onClick={() => void reloadThread(sessionStore.getState().id ?? '')}>
              Try again
            </Button>
          }
        >
          {fillError.message}
        </Banner>
      )}
      {shown.map((notice) => (
        <Notice key={notice.message} reason={notice} onClose={() => setClosed(new Set([...closed, notice.message]))} />
      ))}
      {left.length > shown.length ? (
        <Banner tools={<Button onClick={() => setAll(true)}>Show all</Button>}>{left.length - shown.length} more notices</Banner>
      ) : null}
    </>
  );
}

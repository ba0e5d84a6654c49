import { Copy } from 'lucide-react';
import { useSession } from '../store/session-store.ts';
import { copyMessage } from '../store/take-back.ts';
import { Button } from '../ui/button.tsx';
import { oneLine } from '../ui/words.ts';

/** The prompt that a group of recalled messages begins with, and a way to copy it: it can be sent again in other words. */
export function RecalledText({ at }: { at: number }) {
  const message = useSession(({ view }) => view?.messages[at] ?? null);
  if (message === null || message.role !== 'user') return null;
  return (
    <>
      <span className="row-group-text">{oneLine(message.excerpt)}</span>
      <Button variant="plain" className="row-group-copy" icon={<Copy />} onClick={() => void copyMessage(message, 'Prompt')}>
        Copy text
      </Button>
    </>
  );
}

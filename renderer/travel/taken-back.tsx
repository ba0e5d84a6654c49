import { Copy, Reply, X } from 'lucide-react';
import { copyText } from '../store/patch.ts';
import { useSession } from '../store/session-store.ts';
import { forgetTakenBack } from '../store/take-back.ts';
import { useTakenBack } from '../store/taken-back-store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { givesFocusBack } from '../ui/keep-focus.ts';
import './taken-back.css';

/** The text of the prompt that was taken back, while the revert stands: to be copied and asked again in other words. */
export function TakenBack() {
  const text = useTakenBack();
  const stands = useSession((state) => state.view?.standing != null);
  if (text === null || text === '' || !stands) return null;
  return (
    <section className="taken-back" ref={givesFocusBack} aria-label="Taken back prompt">
      <Reply className="taken-back-icon" aria-hidden="true" />
      <textarea className="taken-back-text" readOnly rows={2} value={text} aria-label="Text of the prompt" />
      <Button icon={<Copy />} onClick={() => void copyText(text, 'Prompt')}>
        Copy prompt
      </Button>
      <IconButton label="Close the text" icon={<X />} onClick={forgetTakenBack} />
    </section>
  );
}

import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect } from 'react';
import { copyText } from '../store/patch.ts';
import { closeToast, type Toast, useToast } from '../store/toast-store.ts';
import { Button, IconButton } from './button.tsx';
import { givesFocusBack } from './keep-focus.ts';
import './toast.css';

const ICONS = { done: CircleCheck, note: Info, failed: CircleAlert } as const;
const SHOWN_MS = 5000;

function ToastBox({ toast }: { toast: Toast }) {
  const Icon = ICONS[toast.tone];
  const { id, action, reason, stays } = toast;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => closeToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, stays]);
  return (
    <div className="toast" ref={givesFocusBack} data-tone={toast.tone}>
      <Icon className="toast-icon" aria-hidden="true" />
      <p className="toast-text">{toast.text}</p>
      <div className="toast-tools">
        {action === null ? null : (
          <Button
            onClick={() => {
              closeToast(id);
              action.run();
            }}
          >
            {action.label}
          </Button>
        )}
        {reason === null ? null : (
          <Button variant="plain" onClick={() => void copyText(`${reason.code}: ${reason.message}`, 'Details')}>
            Copy details
          </Button>
        )}
        <IconButton label="Close message" icon={<X />} onClick={() => closeToast(id)} />
      </div>
    </div>
  );
}

/** The newest message. Results are read out politely, failures at once. */
export function ToastRegion() {
  const toast = useToast((state) => state.toast);
  const failed = toast?.tone === 'failed';
  return (
    <section className="toasts" aria-label="Messages">
      <div className="sr" role="status" aria-live="polite">
        {toast !== null && !failed ? toast.text : ''}
      </div>
      <div className="sr" role="alert" aria-live="assertive">
        {toast !== null && failed ? toast.text : ''}
      </div>
      {toast === null ? null : <ToastBox key={toast.id} toast={toast} />}
    </section>
  );
}

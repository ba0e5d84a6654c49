import { Copy, Download } from 'lucide-react';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { PatchSecret, Range, SecretChoice } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { appStore, useApp } from '../store/app-store.ts';
import { changesStore } from '../store/changes-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { chosen as chosenSecrets, copyPatch, patchStore, savePatch } from '../store/patch.ts';
import { sessionStore } from '../store/session-store.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { count, showBytes } from '../ui/words.ts';
import { defaultPath, notCaptured, patchSources } from './patch-model.ts';
import { PatchSecrets } from './patch-secrets.tsx';
import './patch-dialog.css';

const NO_SECRETS: SecretChoice = { all: false, include: [] };

const close = (): void => appStore.setState({ overlay: null });

type Loaded =
  | { phase: 'loading' }
  /** `text` is null for a patch whose bytes are no text: it can be saved, not copied. */
  | { phase: 'ready'; text: string | null; name: string; files: number | null; secrets: PatchSecret[] }
  | { phase: 'refused'; reason: Reason };

function usePatch(range: Range | null, file: TreePath | null, secrets: SecretChoice): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ phase: 'loading' });
  useEffect(() => {
    const { id: thread, view } = sessionStore.getState();
    if (range === null || thread === null) return;
    const refused = notCaptured(range, view);
    if (refused !== null) {
      setLoaded({ phase: 'refused', reason: refused });
      return;
    }
    let ended = false;
    setLoaded({ phase: 'loading' });
    call('patch.text', { thread, range, ...(file === null ? {} : { file }), ...chosenSecrets(secrets) }).then(
      (patch) => !ended && setLoaded({ phase: 'ready', ...patch }),
      (thrown: unknown) => {
        if (ended) return;
        const reason = reasonOfThrown(thrown);
        if (reason.code === 'PATCH_NOT_TEXT') setLoaded({ phase: 'ready', text: null, name: 'turnback.patch', files: null, secrets: [] });
        else setLoaded({ phase: 'refused', reason });
      },
    );
    return () => {
      ended = true;
    };
  }, [range, file, secrets]);
  return loaded;
}

/** Hands the patch to the browser as a download: for a viewer that runs on another machine. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/x-patch' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function Summary({ loaded }: { loaded: Loaded }) {
  if (loaded.phase === 'refused') return <Banner tone="failed">{loaded.reason.message}</Banner>;
  if (loaded.phase === 'loading') return <p className="muted">Making the patch…</p>;
  const { files, text } = loaded;
  return (
    <p className="num">
      {files === null ? 'A patch' : count(files, 'file')}
      {text === null ? null : `, ${showBytes(new TextEncoder().encode(text).length)}`}
      <span className="muted">
        . <code>git apply</code> takes it.
      </span>
      {text === null ? <span className="muted"> It holds bytes that are no text, so it can be saved but not copied.</span> : null}
    </p>
  );
}

/** Saves or copies the changes of a step, a turn or a range as a patch. */
export function PatchDialog() {
  const host = useApp((state) => state.info?.host);
  const home = useApp((state) => state.info?.home);
  const sources = useMemo(() => {
    const { selection, index } = sessionStore.getState();
    return patchSources(changesStore.getState(), selection, index.steps.get(selection.step ?? '')?.index ?? null);
  }, []);
  const [chosen, setChosen] = useState(sources[0]?.id ?? '');
  const range = sources.find((source) => source.id === chosen)?.range ?? null;
  const file = useStore(patchStore, (state) => state.file);
  const [choice, setChoice] = useState(NO_SECRETS);
  const loaded = usePatch(range, file, choice);
  const [found, setFound] = useState<readonly PatchSecret[]>([]);
  useEffect(() => {
    // While another patch is made the list stays, so that the focus stays on its tick.
    if (loaded.phase === 'ready') setFound(loaded.secrets);
  }, [loaded]);
  const main = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const name = loaded.phase === 'ready' ? loaded.name : '';
  const path = typed ?? defaultPath(home, name);
  const off =
    range === null
      ? 'Nothing is selected.'
      : loaded.phase === 'ready'
        ? loaded.files === 0
          ? 'Every file stays out of it. Tick one first.'
          : null
        : loaded.phase === 'refused'
          ? loaded.reason.message
          : 'The patch is being made.';
  const noText = off ?? (loaded.phase === 'ready' && loaded.text === null ? 'It holds bytes that are no text.' : null);
  const save = async (): Promise<void> => {
    if (range !== null && (await savePatch(range, host === 'electron' ? null : path, file, choice))) close();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (off === null) void save();
  };
  return (
    <Dialog
      title="Export patch"
      width={560}
      onClose={close}
      focus={main}
      foot={
        <>
          <Button
            icon={<Copy />}
            off={noText}
            onClick={() => {
              if (range !== null) void copyPatch(range, file, choice);
            }}
          >
            Copy
          </Button>
          {host === 'electron' ? null : (
            <Button
              icon={<Download />}
              off={noText}
              hint="To the machine this browser runs on"
              onClick={() => {
                if (loaded.phase === 'ready' && loaded.text !== null) download(loaded.name, loaded.text);
              }}
            >
              Download
            </Button>
          )}
          <Button ref={main} variant="primary" off={off ?? (path.trim() === '' ? 'Name a file first.' : null)} onClick={() => void save()}>
            {host === 'electron' ? 'Save…' : 'Save'}
          </Button>
        </>
      }
    >
      <form className="patch-form" onSubmit={submit}>
        {sources.length < 2 ? (
          <p>{sources[0]?.label ?? 'Nothing is selected.'}</p>
        ) : (
          <Segmented
            label="What to export"
            value={chosen}
            segments={sources.map(({ id, label }) => ({ value: id, label }))}
            onChange={(next) => {
              setChosen(next);
              setChoice(NO_SECRETS);
            }}
          />
        )}
        {file === null ? null : (
          <p className="patch-file">
            <span className="muted">Only</span> <PathLabel path={file} />
          </p>
        )}
        {range === null ? null : <Summary loaded={loaded} />}
        {range === null || loaded.phase === 'refused' ? null : <PatchSecrets found={found} choice={choice} onChoose={setChoice} />}
        {host === 'electron' || loaded.phase !== 'ready' ? null : (
          <label className="patch-path">
            <span className="muted">Save as, on the machine that Turnback runs on</span>
            <input className="field mono" spellCheck={false} value={path} onChange={(event) => setTyped(event.target.value)} />
          </label>
        )}
      </form>
    </Dialog>
  );
}

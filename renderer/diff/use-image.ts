import { useEffect, useState } from 'react';
import type { FileImage, Range } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import { call, reasonOfThrown } from '../store/host.ts';

export type ImageState = { phase: 'waiting' } | { phase: 'ready'; image: FileImage } | { phase: 'failed'; error: Reason };

/** One side of a file as a picture; asked for while `wanted`, and forgotten when it leaves. */
export function useImage(o: { thread: string; range: Range; path: string; side: 'before' | 'after'; wanted: boolean }): ImageState {
  const { thread, range, path, side, wanted } = o;
  const [state, setState] = useState<ImageState>({ phase: 'waiting' });
  useEffect(() => {
    if (!wanted) return;
    let ended = false;
    call('file.image', { thread, range, path, side }).then(
      (image) => !ended && setState({ phase: 'ready', image }),
      (thrown: unknown) => !ended && setState({ phase: 'failed', error: reasonOfThrown(thrown) }),
    );
    return () => {
      ended = true;
      setState({ phase: 'waiting' });
    };
  }, [thread, range, path, side, wanted]);
  return state;
}

import type { FileChange } from '../../shared/model.ts';
import { GLYPHS } from './file-words.ts';
import './change-glyph.css';

/** The sign of a change. It says nothing to a screen reader: whoever draws it names the change in words. */
export function ChangeGlyph({ change }: { change: FileChange['change'] }) {
  return (
    <span className="change-glyph" data-change={change} aria-hidden="true">
      {GLYPHS[change]}
    </span>
  );
}

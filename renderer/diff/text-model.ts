import type { Monaco } from './load-monaco.ts';

/** A text for an editor. Bracket colours are a setting of the text, not of the editor: without this they would come back. */
export function createTextModel(monaco: Monaco, text: string, language: string): ReturnType<Monaco['editor']['createModel']> {
  const model = monaco.editor.createModel(text, language);
  model.updateOptions({ bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } });
  return model;
}

type Decorations = ReturnType<ReturnType<Monaco['editor']['create']>['createDecorationsCollection']>;

/** Sets lines that stand for others apart from the text of the file. */
export function markGaps(decorations: Decorations, numbers: readonly (number | null)[] | undefined): void {
  const gaps = (numbers ?? []).flatMap((number, at) => (number === null ? [at + 1] : []));
  decorations.set(
    gaps.map((line) => ({
      range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 1 },
      options: { isWholeLine: true, className: 'line-gap', inlineClassName: 'text-gap' },
    })),
  );
}

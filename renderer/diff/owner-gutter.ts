import { linesStore } from '../store/lines-store.ts';
import { selectStep } from '../store/selection.ts';
import { lineNumbersOf } from './editor-slot.ts';
import type { LineOwners } from './line-owners.ts';
import type { Monaco } from './load-monaco.ts';

type Editor = ReturnType<Monaco['editor']['create']>;
type Numbers = readonly (number | null)[] | undefined;

/** The part of an editor's gutter that tells who wrote each line, before its number. */
export interface OwnerGutter {
  /** A text is shown: its line numbers, where they are not its own, and the room that they need. */
  shows(numbers: Numbers, chars: number): void;
  own(owners: LineOwners | null): void;
}

const BLANK = '\u00a0';

/**
 * Makes the gutter of an editor that is used again and again. A press on a label, or Enter on its line, opens the step; the label's words
 * are its tooltip, and are told when the caret comes to the line.
 */
export function createOwnerGutter(monaco: Monaco, editor: Editor): OwnerGutter {
  const marks = editor.createDecorationsCollection();
  let owners: LineOwners | null = null;
  let numbers: Numbers;
  let chars = 4;
  let said = -1;
  const real = (line: number): number | null => (numbers === undefined ? line : (numbers[line - 1] ?? null));
  const runAt = (line: number) => {
    const number = real(line);
    return number === null ? null : (owners?.run(number) ?? null);
  };
  const open = (line: number): boolean => {
    const step = runAt(line)?.step ?? null;
    if (step !== null) void selectStep(step);
    return step !== null;
  };
  const inGutter = (type: number): boolean => type === monaco.editor.MouseTargetType.GUTTER_LINE_NUMBERS;

  editor.onMouseMove(({ target }) => {
    const node = editor.getDomNode();
    const run = owners !== null && inGutter(target.type) && target.position !== null ? runAt(target.position.lineNumber) : null;
    const words = run === null ? '' : (owners?.words(run) ?? '');
    if (node !== null && node.title !== words) node.title = words;
  });
  editor.onMouseDown(({ target }) => {
    if (owners !== null && inGutter(target.type) && target.position !== null) open(target.position.lineNumber);
  });
  editor.onKeyDown((event) => {
    const line = editor.getPosition()?.lineNumber ?? 0;
    if (owners === null || event.keyCode !== monaco.KeyCode.Enter || !open(line)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  editor.onDidChangeCursorPosition(({ position: { lineNumber } }) => {
    const run = runAt(lineNumber);
    if (owners === null || run === null || lineNumber === said) return;
    said = lineNumber;
    linesStore.setState({ said: `Line ${real(lineNumber)}: ${owners.words(run)}` });
  });

  const label = (line: number, width: number): string => {
    const [run, before] = [runAt(line), runAt(line - 1)];
    // A run says its name once, and again where lines are left out.
    const named = run !== null && (run !== before || line === 1 || real(line) !== (real(line - 1) ?? 0) + 1);
    return named ? (owners?.label(run) ?? '').padEnd(width, BLANK) : BLANK.repeat(width);
  };
  const draw = (): void => {
    const width = owners?.width ?? 0;
    const plain = lineNumbersOf(numbers);
    const lines = editor.getModel()?.getLineCount() ?? 0;
    editor.updateOptions({
      lineNumbers:
        owners === null ? plain : (line) => `${label(line, width)}${BLANK}${String(real(line) ?? '').padStart(chars - 1, BLANK)}`,
      lineNumbersMinChars: owners === null ? chars : chars + width + 1,
    });
    const spans: { from: number; to: number; who: string }[] = [];
    for (let line = 1; owners !== null && line <= lines; line++) {
      const who = runAt(line)?.who;
      const last = spans.at(-1);
      if (who !== undefined && last?.who === who && last.to === line - 1) last.to = line;
      else if (who !== undefined) spans.push({ from: line, to: line, who });
    }
    marks.set(
      spans.map(({ from, to, who }) => ({
        range: { startLineNumber: from, startColumn: 1, endLineNumber: to, endColumn: 1 },
        options: { lineNumberClassName: `owner-${who}` },
      })),
    );
  };
  return {
    shows(next, room) {
      numbers = next;
      chars = room;
      said = -1;
      draw();
    },
    own(next) {
      if (next === owners) return;
      owners = next;
      draw();
    },
  };
}

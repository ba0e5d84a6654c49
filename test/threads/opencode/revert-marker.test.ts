import { describe, expect, test } from 'vitest';
import { unwrapRunPrompt } from '../../../electron/threads/opencode/prompt-text.ts';
import { pathsOfPatch, revertMarker } from '../../../electron/threads/opencode/revert-marker.ts';

describe('paths of a patch text', () => {
  test.each([
    ['', []],
    ['diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', ['x']],
    ['diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n', ['new']],
    ['diff --git a/b.bin b/b.bin\ndeleted file mode 100644\nBinary files a/b.bin and /dev/null differ\n', ['b.bin']],
    ['diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n', ['mode']],
    ['diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n', ['old', 'new']],
    ['diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1 +1 @@\n-1\n+2\n', ['a b.txt']],
    ['diff --git "a/t\\tab" "b/t\\tab"\n--- "a/t\\tab"\n+++ "b/t\\tab"\n@@ -1 +1 @@\n-1\n+2\n', ['t\tab']],
    ['diff --git "a/\\303\\251\\"" "b/\\303\\251\\""\nold mode 100644\nnew mode 100755\n', ['é"']],
    // Content that looks like a header is content.
    [
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-- a/evil\n+++ b/evil\n+diff --git a/e b/e\n+@@ -1 +1 @@\n last\n\\ No newline at end of file\n',
      ['x'],
    ],
  ])('%j', (patch, paths) => {
    expect(pathsOfPatch(patch)).toEqual(paths);
  });
});

test('a marker without a message is none, and its ids are checked', () => {
  expect(revertMarker(null)).toBeNull();
  expect(revertMarker({ snapshot: 'a'.repeat(40) })).toBeNull();
  expect(revertMarker({ messageID: 7 })).toBeNull();
  expect(revertMarker({ messageID: 'm', snapshot: '-rf', files: 'x' })).toEqual({ messageId: 'm', part: false, now: null, files: null });
  expect(revertMarker({ messageID: 'm', partID: 'p', files: [{ path: 'a' }, null, {}] })).toEqual({
    messageId: 'm',
    part: true,
    now: null,
    files: ['a'],
  });
});

test.each([
  ['"two words"', 'two words'],
  ['"say \\"hi\\" now"', 'say "hi" now'],
  ['"', null],
  ['""', null],
  ['"word"', null],
  ['"a b" c', null],
  ['"a" and "b"', null],
  ['plain words', null],
])('the prompt %j without the quotes of `run` is %j', (text, plain) => {
  expect(unwrapRunPrompt(text)).toBe(plain);
});

import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/diffEditor/register';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/folding/register';
import 'monaco-editor/features/contextmenu/register';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/gotoLine/register';
import 'monaco-editor/features/wordHighlighter/register';
import 'monaco-editor/features/bracketMatching/register';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';

// Only the editor worker: no language service is bundled, so nothing else is ever asked for.
self.MonacoEnvironment = { getWorker: () => new EditorWorker() };

export { monaco };

/** Registers a language definition with Monaco; each is a chunk of its own that loads when a file of that language is shown. */
const definitions: Readonly<Record<string, () => Promise<unknown>>> = {
  bat: () => import('monaco-editor/languages/definitions/bat/register'),
  clojure: () => import('monaco-editor/languages/definitions/clojure/register'),
  cpp: () => import('monaco-editor/languages/definitions/cpp/register'),
  csharp: () => import('monaco-editor/languages/definitions/csharp/register'),
  css: () => import('monaco-editor/languages/definitions/css/register'),
  dart: () => import('monaco-editor/languages/definitions/dart/register'),
  dockerfile: () => import('monaco-editor/languages/definitions/dockerfile/register'),
  elixir: () => import('monaco-editor/languages/definitions/elixir/register'),
  fsharp: () => import('monaco-editor/languages/definitions/fsharp/register'),
  go: () => import('monaco-editor/languages/definitions/go/register'),
  graphql: () => import('monaco-editor/languages/definitions/graphql/register'),
  hcl: () => import('monaco-editor/languages/definitions/hcl/register'),
  html: () => import('monaco-editor/languages/definitions/html/register'),
  ini: () => import('monaco-editor/languages/definitions/ini/register'),
  java: () => import('monaco-editor/languages/definitions/java/register'),
  javascript: () => import('monaco-editor/languages/definitions/javascript/register'),
  julia: () => import('monaco-editor/languages/definitions/julia/register'),
  kotlin: () => import('monaco-editor/languages/definitions/kotlin/register'),
  less: () => import('monaco-editor/languages/definitions/less/register'),
  lua: () => import('monaco-editor/languages/definitions/lua/register'),
  markdown: () => import('monaco-editor/languages/definitions/markdown/register'),
  mysql: () => import('monaco-editor/languages/definitions/mysql/register'),
  'objective-c': () => import('monaco-editor/languages/definitions/objective-c/register'),
  perl: () => import('monaco-editor/languages/definitions/perl/register'),
  pgsql: () => import('monaco-editor/languages/definitions/pgsql/register'),
  php: () => import('monaco-editor/languages/definitions/php/register'),
  powershell: () => import('monaco-editor/languages/definitions/powershell/register'),
  protobuf: () => import('monaco-editor/languages/definitions/protobuf/register'),
  python: () => import('monaco-editor/languages/definitions/python/register'),
  r: () => import('monaco-editor/languages/definitions/r/register'),
  ruby: () => import('monaco-editor/languages/definitions/ruby/register'),
  rust: () => import('monaco-editor/languages/definitions/rust/register'),
  scala: () => import('monaco-editor/languages/definitions/scala/register'),
  scss: () => import('monaco-editor/languages/definitions/scss/register'),
  shell: () => import('monaco-editor/languages/definitions/shell/register'),
  sql: () => import('monaco-editor/languages/definitions/sql/register'),
  swift: () => import('monaco-editor/languages/definitions/swift/register'),
  typescript: () => import('monaco-editor/languages/definitions/typescript/register'),
  xml: () => import('monaco-editor/languages/definitions/xml/register'),
  yaml: () => import('monaco-editor/languages/definitions/yaml/register'),
};

/** Monaco's language ids where they differ from the name of the definition. */
const IDS: Readonly<Record<string, string>> = { protobuf: 'proto' };

const loaded = new Map<string, Promise<string>>();

/** Loads the definition, once. Gives the id to make models with; `plaintext` when the chunk cannot be loaded. */
export function loadLanguage(definition: string | null): Promise<string> {
  const load = definition === null ? undefined : definitions[definition];
  if (definition === null || load === undefined) return Promise.resolve('plaintext');
  const known = loaded.get(definition);
  if (known !== undefined) return known;
  const loading = load().then(
    () => IDS[definition] ?? definition,
    () => {
      loaded.delete(definition);
      return 'plaintext';
    },
  );
  loaded.set(definition, loading);
  return loading;
}

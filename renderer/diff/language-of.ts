/** Monaco's language id for each file name or ending that we colour. */
const BY_ENDING: Readonly<Record<string, string>> = {
  bat: 'bat cmd',
  clojure: 'clj cljs cljc edn',
  cpp: 'c h cc cpp cxx hh hpp hxx ino',
  csharp: 'cs csx cake',
  css: 'css',
  dart: 'dart',
  dockerfile: 'dockerfile',
  elixir: 'ex exs',
  fsharp: 'fs fsi fsx',
  go: 'go',
  graphql: 'graphql gql',
  hcl: 'tf tfvars hcl',
  html: 'html htm xhtml vue svelte astro',
  ini: 'ini cfg conf toml properties editorconfig gitconfig gitattributes npmrc',
  java: 'java',
  javascript: 'js mjs cjs jsx json jsonc json5 jsonl webmanifest',
  julia: 'jl',
  kotlin: 'kt kts',
  less: 'less',
  lua: 'lua',
  markdown: 'md markdown mdx mdown',
  mysql: 'mysql',
  'objective-c': 'm mm',
  perl: 'pl pm',
  pgsql: 'pgsql',
  php: 'php phtml',
  powershell: 'ps1 psm1 psd1',
  protobuf: 'proto',
  python: 'py pyi pyw bzl',
  r: 'r',
  ruby: 'rb rake gemspec podspec',
  rust: 'rs',
  scala: 'scala sc sbt',
  scss: 'scss',
  shell: 'sh bash zsh ksh env',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts tsx mts cts',
  xml: 'xml xsd xsl svg plist csproj props targets storyboard',
  yaml: 'yml yaml',
};

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  gemfile: 'ruby',
  rakefile: 'ruby',
  podfile: 'ruby',
  '.bashrc': 'shell',
  '.zshrc': 'shell',
  '.profile': 'shell',
  '.prettierrc': 'javascript',
  '.babelrc': 'javascript',
};

const endings = new Map(
  Object.entries(BY_ENDING).flatMap(([language, list]) => list.split(' ').map((ending) => [ending, language] as const)),
);
const names = new Map(Object.entries(BY_NAME));

/** The definition that colours a path: a name of `monaco-editor/languages/definitions/*`, or null for plain text. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const named = names.get(name);
  if (named !== undefined) return named;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? null : (endings.get(name.slice(dot + 1)) ?? null);
}

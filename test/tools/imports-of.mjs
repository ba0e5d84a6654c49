// Reads the imports of a TypeScript file as text: enough for rules, no compiler needed.

/** The source with comments blanked out; strings and line breaks stay, so that line numbers stay true. */
export function withoutComments(source) {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return source.replace(token, (text) => (text.startsWith('/*') || text.startsWith('//') ? text.replace(/[^\n]/g, ' ') : text));
}

/** The source without comments and with empty strings: what is left is code. */
export function codeOnly(source) {
  const string = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return withoutComments(source).replace(string, (text) => text.replace(/[^\n]/g, ' '));
}

const FORMS = [
  /(?:^|[;\n}])[ \t]*(import|export)(\s+type)?\s(?:[^;'"`]*?\sfrom\s*)?['"]([^'"\n]+)['"]/g,
  /\b(import|require|require\.resolve)(\s*)\(\s*['"]([^'"\n]+)['"]/g,
];

/**
 * Every import of a source: the specifier, its line, whether only types are taken, and whether it is passed on
 * (`export … from`).
 */
export function importsOf(source) {
  const text = withoutComments(source);
  const found = [];
  for (const form of FORMS) {
    for (const match of text.matchAll(form)) {
      const [whole, keyword = '', type = '', specifier = ''] = match;
      const at = match.index + whole.lastIndexOf(specifier);
      const named = /\{([^}]*)\}/.exec(whole);
      const allTypes = named !== null && !/^\s*import\s+\w/.test(whole) && named[1].split(',').every((name) => /^\s*(type\s|$)/.test(name));
      found.push({
        specifier,
        line: text.slice(0, at).split('\n').length,
        types: type.trim() === 'type' || allTypes,
        passedOn: keyword === 'export',
      });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

import { logo } from './logo.ts';

/** A line that imports. Made here, so that nobody takes these texts for code of ours. */
const use = (what: string, from: string): string => `import ${what} from '${from}';\n`;

/** The sample project as the user had it before the agent came: a notes app with a login form that has a fault. */
export const workspaceFiles: Readonly<Record<string, string | Buffer>> = {
  'README.md': `# Lumen Notes

Notes that light up when you need them. No build step: open \`index.html\` from any static server.

## Checks

    sh scripts/check.sh

## Structure

- \`src/auth\` signs people in
- \`src/api\` talks to the server
- \`src/ui\` small pieces of interface
`,
  'package.json': `{
  "name": "lumen-notes",
  "version": "0.4.0",
  "private": true,
  "type": "module",
  "scripts": {
    "check": "sh scripts/check.sh",
    "format": "sh scripts/format.sh"
  }
}
`,
  '.gitignore': `node_modules/
dist/
*.log
`,
  '.env': `LUMEN_API=https://api.lumen.example
LUMEN_KEY=do-not-record-me
`,
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Lumen Notes</title>
    <link rel="stylesheet" href="src/styles/base.css" />
    <link rel="stylesheet" href="src/styles/login.css" />
  </head>
  <body>
    <img class="logo" src="public/logo.png" alt="Lumen" width="48" height="48" />
    <main id="app"></main>
    <script type="module" src="src/main.js"></script>
  </body>
</html>
`,
  'src/main.js': `${use('{ mountLoginForm }', './auth/login-form.js')}${use('{ restoreSession }', './auth/session.js')}${use('{ showToast }', './ui/toast.js')}
const root = document.querySelector('#app');
const session = restoreSession();

if (session) {
  showToast(\`Welcome back, \${session.name}\`);
} else {
  mountLoginForm(root, {
    onSuccess: (user) => showToast(\`Signed in as \${user.name}\`),
  });
}
`,
  'src/auth/login-form.js': `${use('{ signIn }', '../api/client.js')}${use('{ saveSession }', './session.js')}${use('{ validate }', './validate.js')}
const template = \`
  <form class="login" novalidate>
    <label>E-mail <input name="email" type="email" autocomplete="username" /></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" /></label>
    <p class="login-error"></p>
    <button>Sign in</button>
  </form>
\`;

export function mountLoginForm(root, { onSuccess }) {
  root.innerHTML = template;
  const form = root.querySelector('form');
  const error = form.querySelector('.login-error');

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const data = Object.fromEntries(new FormData(form));
    const problem = validate(data);
    if (problem) error.textContent = problem;

    const user = await signIn(data);
    saveSession(user);
    onSuccess(user);
  });
}
`,
  'src/auth/validate.js': `const EMAIL = /@/;

export function validate({ email, password }) {
  if (!EMAIL.test(email)) return 'That is not an e-mail address.';
  if (password.length < 1) return 'The password is missing.';
  return null;
}
`,
  'src/auth/session.js': `const KEY = 'lumen.session';

export function saveSession(user) {
\tsessionStorage.setItem(KEY, JSON.stringify(user));
}

export function restoreSession() {
\tconst saved = sessionStorage.getItem(KEY);
\treturn saved ? JSON.parse(saved) : null;
}

export function endSession() {
\tsessionStorage.removeItem(KEY);
}
`,
  'src/api/client.js': `const BASE = '/api';

async function post(path, body) {
\tconst response = await fetch(BASE + path, {
\t\tmethod: 'POST',
\t\theaders: { 'content-type': 'application/json' },
\t\tbody: JSON.stringify(body),
\t});
\tif (!response.ok) throw new Error(\`\${path} answered \${response.status}\`);
\treturn response.json();
}

export const signIn = (credentials) => post('/session', credentials);
export const listNotes = () => post('/notes', {});
`,
  'src/ui/toast.js': `export function showToast(text) {
\tconst toast = document.createElement('div');
\ttoast.className = 'toast';
\ttoast.textContent = text;   
\tdocument.body.append(toast);
\tsetTimeout(() => toast.remove(), 4000);
}
`,
  'src/styles/base.css': `:root {
  --ink: #1d2433;
  --paper: #fffdf8;
  --glow: #ffb454;
}

body {
  margin: 0 auto;
  max-width: 40rem;
  color: var(--ink);
  background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif;
}

.toast {
  position: fixed;
  inset: auto 1rem 1rem auto;
  padding: 0.5rem 1rem;
  background: var(--ink);
  color: var(--paper);
  border-radius: 6px;
}
`,
  'src/styles/login.css': `.login {
  display: grid;
  gap: 0.75rem;
  padding: 1.5rem;
}

.login label {
  display: grid;
}
`,
  'test/validate.test.js': `${use('{ validate }', '../src/auth/validate.js')}${use('test', 'node:test')}${use('assert', 'node:assert/strict')}
test('a password is needed', () => {
  assert.equal(validate({ email: 'ada@lumen.example', password: '' }), 'The password is missing.');
});
`,
  'scripts/check.sh': `#!/bin/sh
# Checks that need no packages: imports that point nowhere, and the rules of the login form.
failed=0
expect() {
  if [ "$2" = 0 ]; then echo "  ok    $1"; else echo "  FAIL  $1"; failed=$((failed + 1)); fi
}
for file in $(find src test -name '*.js' | sort); do
  for name in $(sed -n "s/.*from '\\(\\.[^']*\\)'.*/\\1/p" "$file"); do
    test -f "$(dirname "$file")/$name" || expect "$file imports $name" 1
  done
done
form=$(find src -name 'login-form.js' -o -name 'form.js' | sort | head -n 1)
rules=$(find src -name 'validate.js' | sort | head -n 1)
grep -q 'preventDefault' "$form"; expect 'the form does not reload the page' $?
grep -q 'problem) return\\|problem) {' "$form"; expect 'nothing is sent when a field is wrong' $?
grep -q "textContent = ''" "$form"; expect 'an old error goes away' $?
grep -q 'email.trim()' "$rules"; expect 'an empty e-mail is refused' $?
grep -q 'showToast' src/main.js; expect 'signing in says so' $?
test "$failed" = 0 && echo 'all checks passed' || echo "$failed checks failed"
test "$failed" = 0
`,
  'scripts/format.sh': `#!/bin/sh
# Two spaces for a tab, no blanks at the end of a line.
tab=$(printf '\\t')
for file in $(find src -name '*.js' | sort); do
  sed -e "s/$tab/  /g" -e 's/ *$//' "$file" > "$file.new"
  if cmp -s "$file" "$file.new"; then rm "$file.new"; else mv "$file.new" "$file"; echo "formatted $file"; fi
done
`,
  'design/logo@2x.png': logo(96),
  'public/logo.png': logo(24),
};

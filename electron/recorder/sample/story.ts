import type { Stage } from './stage.ts';
import { breakIt, explainIt } from './story-broken.ts';

/** The whole morning: a login form gets fixed, styled and extended, and then one turn breaks five files. */
export async function tellStory(stage: Stage): Promise<void> {
  await fixForm(stage);
  await askAboutSession(stage);
  await styleForm(stage);
  await rememberMe(stage);
  await breakIt(stage);
  await explainIt(stage);
}

async function fixForm({ session, agent, clock }: Stage): Promise<void> {
  const prompt = 'The login form sends a request even when the e-mail is empty, and an old error text never goes away. Please fix both.';
  await session.send(prompt, async (turn) => {
    await agent.step(turn, {
      thinking: 'Two faults in one form. First look at how the submit handler and the validation work together.',
      says: 'I will look at the form and its validation first.',
      asks: [
        { name: 'read_file', path: 'src/auth/login-form.js' },
        { name: 'read_file', path: 'src/auth/validate.js' },
      ],
    });
    await agent.step(turn, {
      says: 'Let me see what the checks say before I change anything.',
      asks: [{ name: 'bash', command: 'sh scripts/check.sh', seconds: 3 }],
    });
    await agent.step(turn, {
      thinking:
        'The handler writes the problem into the page but goes on to signIn. It needs an early return, and the text has to be cleared at the start. The pattern /@/ accepts " @ ", and an empty e-mail deserves its own words.',
      says: 'The handler shows the problem but does not stop. I add the early return, clear the old error, and make an empty e-mail a case of its own.',
      asks: [
        {
          name: 'edit_file',
          path: 'src/auth/login-form.js',
          edits: [
            ['    const data = Object', "    error.textContent = '';\n    const data = Object"],
            [
              '    if (problem) error.textContent = problem;\n',
              '    if (problem) {\n      error.textContent = problem;\n      return;\n    }\n',
            ],
          ],
        },
        {
          name: 'edit_file',
          path: 'src/auth/validate.js',
          edits: [
            ['const EMAIL = /@/;', 'const EMAIL = /^\\S+@\\S+\\.\\S+$/;'],
            ['  if (!EMAIL', "  if (email.trim() === '') return 'The e-mail is missing.';\n  if (!EMAIL"],
          ],
        },
      ],
    });
    await agent.step(turn, {
      says: 'Two tests, so that it stays fixed.',
      asks: [
        {
          name: 'edit_file',
          path: 'test/validate.test.js',
          edits: [
            [
              "test('a password is needed'",
              "test('an e-mail is needed', () => {\n  assert.equal(validate({ email: '  ', password: 'x' }), 'The e-mail is missing.');\n});\n\ntest('an e-mail has a domain', () => {\n  assert.equal(validate({ email: 'ada@', password: 'x' }), 'That is not an e-mail address.');\n});\n\ntest('a password is needed'",
            ],
          ],
        },
      ],
    });
    await agent.step(turn, { asks: [{ name: 'bash', command: 'sh scripts/check.sh', seconds: 3 }] });
    await agent.answer(
      turn,
      'Both faults are fixed:\n\n- `login-form.js` returns after showing a problem, so nothing is sent, and it clears the old text on each try.\n- `validate.js` has its own words for an empty e-mail and wants a domain.\n\nAll checks pass.',
    );
  });
  clock.until('09:16');
}

async function askAboutSession({ session, agent, clock }: Stage): Promise<void> {
  await session.send('Good. What happens to the session when I close the tab? Just explain, do not change anything.', async (turn) => {
    await agent.answer(
      turn,
      'It is gone. `session.js` keeps the user in `sessionStorage`, which belongs to one tab: a reload keeps it, closing the tab drops it. If people should stay signed in, it has to move to `localStorage` with a time limit.',
      'saveSession writes to sessionStorage under lumen.session. No code reads anything else.',
    );
  });
  // Meanwhile the user writes in the project too: this is in no step.
  clock.until('09:24');
  await agent.byHand('README.md', (text) => text.replace('No build step:', 'There is no build step:'));
  await agent.byHand('src/styles/base.css', (text) => text.replace('max-width: 40rem', 'max-width: 44rem'));
  clock.until('09:31');
}

async function styleForm({ session, agent, clock }: Stage): Promise<void> {
  await session.send('Give the error text a style, and use the sharp logo from design/: the one in public/ is blurry.', async (turn) => {
    await agent.step(turn, {
      says: 'First the error text.',
      asks: [
        {
          name: 'edit_file',
          path: 'src/styles/login.css',
          edits: [
            [
              '.login label {\n  display: grid;\n}\n',
              '.login label {\n  display: grid;\n  gap: 0.25rem;\n}\n\n.login-error:empty {\n  display: none;\n}\n\n.login-error {\n  margin: 0;\n  padding: 0.5rem 0.75rem;\n  color: #8c1d18;\n  background: #fdeceb;\n  border-radius: 6px;\n}\n',
            ],
          ],
        },
      ],
    });
    await agent.step(turn, {
      thinking: 'The design folder has logo@2x.png. A copy keeps the address that index.html uses.',
      says: 'Now the logo.',
      asks: [{ name: 'bash', command: 'ls -l design public | grep png | wc -l && cp design/logo@2x.png public/logo.png', seconds: 1 }],
    });
    await agent.step(turn, {
      asks: [{ name: 'edit_file', path: 'index.html', edits: [['width="48" height="48"', 'width="48" height="48" decoding="async"']] }],
    });
    await agent.answer(
      turn,
      'The error text has its own box and takes no space while it is empty, and the logo is the sharp one now (96 pixels for a place of 48).',
    );
  });
  clock.until('09:44');
}

async function rememberMe({ session, agent, clock }: Stage): Promise<void> {
  await session.send('Add a "stay signed in" checkbox. Keep it small, and run the formatter when you are done.', async (turn) => {
    await agent.step(turn, {
      thinking: 'A checkbox in the form, and a session that goes to localStorage with an end date when it is ticked.',
      says: 'A small module for the time limit, then the form.',
      asks: [
        {
          name: 'write_file',
          path: 'src/auth/remember.js',
          content:
            "export const DAYS = 90;\n\nexport function expiresAt(now = Date.now()) {\n  return now + DAYS * 24 * 60 * 60 * 1000;\n}\n\nexport function isFresh(saved, now = Date.now()) {\n  return typeof saved?.until === 'number' && saved.until > now;\n}\n",
        },
        {
          name: 'edit_file',
          path: 'src/auth/login-form.js',
          edits: [
            [
              '    <p class="login-error"></p>',
              '    <label class="login-stay"><input name="stay" type="checkbox" /> Stay signed in</label>\n    <p class="login-error"></p>',
            ],
            ['    saveSession(user);', "    saveSession(user, { stay: data.stay === 'on' });"],
          ],
        },
      ],
    });
    const steer = session.steer('Thirty days is enough, not ninety.');
    await agent.step(turn, {
      says: 'Now the session itself.',
      asks: [
        {
          name: 'edit_file',
          path: 'src/auth/session.js',
          edits: [['export function saveSession(user, options) {', 'export function saveSession(user, { stay = false } = {}) {']],
        },
      ],
    });
    await steer;
    await agent.step(turn, {
      thinking: 'The function has one parameter today, my search text was wrong. And the user wants thirty days: steer received.',
      says: 'That text was not there; the function has one parameter. I take the whole function, and thirty days as you say.',
      asks: [
        {
          name: 'edit_file',
          path: 'src/auth/session.js',
          edits: [
            ["const KEY = 'lumen.session';", "import { expiresAt, isFresh } from './remember.js';\n\nconst KEY = 'lumen.session';"],
            [
              'export function saveSession(user) {\n\tsessionStorage.setItem(KEY, JSON.stringify(user));\n}',
              'export function saveSession(user, { stay = false } = {}) {\n\tif (stay) localStorage.setItem(KEY, JSON.stringify({ user, until: expiresAt() }));\n\telse sessionStorage.setItem(KEY, JSON.stringify(user));\n}',
            ],
            [
              '\tconst saved = sessionStorage.getItem(KEY);\n\treturn saved ? JSON.parse(saved) : null;',
              "\tconst stayed = JSON.parse(localStorage.getItem(KEY) ?? 'null');\n\tif (isFresh(stayed)) return stayed.user;\n\tconst saved = sessionStorage.getItem(KEY);\n\treturn saved ? JSON.parse(saved) : null;",
            ],
          ],
        },
        { name: 'edit_file', path: 'src/auth/remember.js', edits: [['DAYS = 90', 'DAYS = 30']] },
      ],
    });
    await agent.step(turn, {
      says: 'And a test for the time limit.',
      asks: [
        {
          name: 'write_file',
          path: 'test/remember.test.js',
          content:
            "import { DAYS, expiresAt, isFresh } from '../src/auth/remember.js';\nimport test from 'node:test';\nimport assert from 'node:assert/strict';\n\ntest('a session that stays lasts thirty days', () => {\n  assert.equal(DAYS, 30);\n  assert.equal(isFresh({ until: expiresAt(0) }, 29 * 86_400_000), true);\n  assert.equal(isFresh({ until: expiresAt(0) }, 31 * 86_400_000), false);\n});\n",
        },
      ],
    });
    await agent.step(turn, { says: 'Now the formatter.', asks: [{ name: 'bash', command: 'sh scripts/format.sh', seconds: 2 }] });
    await agent.step(turn, { asks: [{ name: 'bash', command: 'sh scripts/check.sh', seconds: 3 }] });
    await agent.answer(
      turn,
      'The form has a "Stay signed in" box. With it the session lasts **30 days** in `localStorage`, without it nothing changes. The formatter touched three older files that still had tabs. All checks pass.',
    );
  });
  clock.until('09:58');
  await agent.byHand('src/auth/login-form.js', (text) =>
    text.replace('<p class="login-error"></p>', '<p class="login-error" role="alert"></p>'),
  );
  clock.until('10:05');
}

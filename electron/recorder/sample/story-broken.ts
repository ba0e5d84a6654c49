import { logo } from './logo.ts';
import type { Stage } from './stage.ts';

/** The turn that goes wrong: folders are moved, a file that was needed goes, and the checks fail. */
export async function breakIt({ session, agent, clock }: Stage): Promise<void> {
  await session.send('Move the auth code to src/features/login, and clean up whatever nobody uses any more.', async (turn) => {
    await agent.step(turn, {
      thinking: 'Four files in src/auth. Move them, give the form the shorter name form.js, then repair the imports.',
      says: 'I move the folder first.',
      asks: [
        {
          name: 'bash',
          command:
            'mkdir -p src/features && mv src/auth src/features/login && mv src/features/login/login-form.js src/features/login/form.js && ls src/features/login',
          seconds: 1,
        },
      ],
    });
    await agent.step(turn, {
      says: 'Now the imports.',
      asks: [
        {
          name: 'edit_file',
          path: 'src/main.js',
          edits: [
            ["'./auth/login-form.js'", "'./features/login/form.js'"],
            ["'./auth/session.js'", "'./features/login/session.js'"],
          ],
        },
        { name: 'edit_file', path: 'test/validate.test.js', edits: [["'../src/auth/validate.js'", "'../src/features/login/validate.js'"]] },
      ],
    });
    await agent.step(turn, {
      thinking: 'toast.js is imported only from main.js. The form could show its own message, so the toast looks unused.',
      says: '`ui/toast.js` has one user left, so I take it out.',
      asks: [
        { name: 'delete_file', path: 'src/ui/toast.js' },
        {
          name: 'edit_file',
          path: 'src/main.js',
          edits: [
            ['  showToast(`Welcome back', '  console.log(`Welcome back'],
            ['showToast(`Signed in as', 'console.log(`Signed in as'],
          ],
        },
      ],
    });
    await agent.step(turn, {
      says: 'Validation can be shorter, too.',
      asks: [
        {
          name: 'write_file',
          path: 'src/features/login/validate.js',
          content: "export const validate = ({ email, password }) => (email && password ? null : 'Please fill in the form.');\n",
        },
        {
          name: 'edit_file',
          path: 'src/features/login/form.js',
          edits: [
            [
              '    if (problem) {\n      error.textContent = problem;\n      return;\n    }\n',
              '    error.textContent = problem ?? error.textContent;\n',
            ],
          ],
        },
        {
          name: 'edit_file',
          path: 'src/styles/base.css',
          edits: [[/* the toast's rule */ '\n.toast {\n  position: fixed;\n  inset: auto 1rem 1rem auto;\n', '\n.toast {\n']],
        },
      ],
    });
    await agent.step(turn, {
      asks: [{ name: 'bash', command: 'chmod +x scripts/check.sh && ./scripts/check.sh', seconds: 4 }],
    });
    await agent.answer(
      turn,
      'The code lives in `src/features/login` now. `scripts/check.sh` can be run directly.\n\nNot everything is green: an import of the API client points nowhere, the toast is missing, and the form sends again when a field is wrong. I would look into these next.',
      'The checks fail in several places. I changed more than was asked for. Say so.',
    );
  });
  clock.until('10:19');
}

/** The user sees it broken; one more try makes it no better. */
export async function explainIt({ session, agent, clock }: Stage): Promise<void> {
  const screenshot = { type: 'image', source: { type: 'data', value: logo(48).toString('base64'), mimeType: 'image/png' } };
  const words = 'Now nothing works: no message after signing in, and the form sends empty fields again. What did you change?';
  await session.send([{ type: 'text', content: words }, screenshot], async (turn) => {
    await agent.step(turn, {
      says: 'Here is what differs from your last commit.',
      asks: [{ name: 'bash', command: 'git status --short && git diff --stat', seconds: 1 }],
    });
    await agent.step(turn, {
      thinking: 'form.js imports ../api/client.js, which was right from src/auth and is wrong from src/features/login.',
      says: 'The import of the API client broke when the folder moved.',
      asks: [
        { name: 'edit_file', path: 'src/features/login/form.js', edits: [["'../api/client.js'", "'../../api/client.js'"]] },
        { name: 'bash', command: './scripts/check.sh', seconds: 4 },
      ],
    });
    await agent.answer(
      turn,
      'I moved the folder, deleted `src/ui/toast.js`, rewrote the validation and took the early return out of the form. The import is repaired; the rest is still broken. Going back to before the move is the quickest way.',
    );
  });
  // What the user does by hand after the agent has stopped.
  clock.until('10:26');
  await agent.byHand('src/main.js', (text) => `${text}\n// TODO(ada): bring the toast back before the demo\n`);
  await agent.byHand('notes/demo.md', () => '# Demo at eleven\n\n- sign in\n- wrong password\n- stay signed in\n');
}

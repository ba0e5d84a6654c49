/** The text of `turnback --help`. */
export const USAGE = `turnback: time travel for coding-agent threads

  turnback [PATH] [--sample]                 open the viewer (PATH: a log, a store or a workspace)
  turnback serve [PATH] [--port N]           the viewer in a browser, on this machine only
  turnback sample DIR                        make a sample workspace with a recorded thread
  turnback threads [--home DIR]              the threads that can be found
  turnback search QUERY [--thread THREAD]    messages whose texts, tool arguments or outputs hold every word
  turnback show THREAD                       turns, steps, messages, what can be done and why not
  turnback diff THREAD STEP [--to STEP|now]  files and unified diff; or of two stops: stop:K [--to stop:K|now]
  turnback patch THREAD STEP[..STEP] [-o F]  a patch that \`git apply\` takes; or of two stops: stop:K[..stop:K|now]
  turnback lines THREAD PATH [--at STEP]     who wrote each line of a file; --at stop:K: as it was at a stop
  turnback preview THREAD MESSAGE            the plan: what a revert would do
  turnback revert THREAD MESSAGE [--scope files|messages|both] [--drift merge|keep|overwrite|fail] [--restore-files]
  turnback take-back THREAD MESSAGE          revert to before a user's message, and print its text
  turnback unrevert|undo|redo THREAD
  turnback history THREAD
  turnback restore THREAD ENTRY              bring files back to how they were before a travel
  turnback bring-back THREAD STEP PATH [--hunk N | --to before|after] [--drift merge|keep|overwrite|fail] [--dry-run]
                                             take out what a step changed in one file, or one change of it (N as
                                             \`turnback diff\` prints its @@ parts), and keep what came later;
                                             --to: the file exactly as it was before or after the step
  turnback recover [ENTRY] [--finish|--roll-back]
                                             the travels that a crash interrupted; ends one of them
  turnback purge THREAD [--yes]              what removing a recorded thread's snapshots frees; --yes removes them
  turnback doctor THREAD                     the health of a thread's log, workspace and snapshots
  turnback clean [--dry-run]                 let go of Turnback's own safety snapshots that are over the limits of the settings
  turnback forget THREAD [--yes] [--even-standing]
                                             what Turnback keeps of a thread; --yes removes all of it
  turnback record claude-code [--settings]   called by Claude Code's hooks, so that what its shell commands change can go back
                                             too; --settings prints what to add to its settings

THREAD is an id that \`threads\` printed, or a path to a log (store.db#THREAD names one in a database).
MESSAGE is a message id or stop:K (after message K; stop:0 is before the first). STEP is a step id or its number.

  --json        one JSON value on stdout
  --root DIR    the workspace, where the log does not say it (remembered)
  --data DIR    the snapshot folder, where the log does not say it (remembered)
  --via COMMAND the command that reaches the container or machine where the thread's files are ('docker exec -i box',
                'ssh HOST'; or TURNBACK_VIA): for a thread that was recorded there, also for the viewer
  --include PATH, --with-secrets
                files in which a patch or diff would show secrets (keys, tokens, .env files) stay out of it; these let them in
  --home DIR    look for threads in another home
  --even-busy   travel also while the agent of another thread works in the folder; what it changes meanwhile stays

A DSH thread goes back by recall: MESSAGE must be just before a prompt, and the files stay unless --restore-files is given. The lists
of changed files come from a running DSH web host:
  --dsh-url URL            its address (or TURNBACK_DSH_URL)
  --dsh-token-file FILE    the file that holds its token (or TURNBACK_DSH_TOKEN)

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 done but some paths were skipped or kept.
`;

P=$R/pwn; mkdir "$P" "$R/hk"; git init -q; echo v1 > f.txt; base
user "edit"; echo v2 > f.txt; printf '* filter=x diff=x merge=x\n' > .gitattributes; step "edit"
for h in post-checkout post-index-change pre-commit reference-transaction fsmonitor-watchman; do printf '#!/bin/sh\ntouch %s/hook-%s\n' "$P" $h > "$R/hk/$h"; chmod +x "$R/hk/$h"; done
for g in "$W/.git" "$S"; do c(){ git --git-dir="$g" config "$1" "$2"; }; c core.fsmonitor "touch $P/fsm; false"; c core.hooksPath "$R/hk"; c diff.external "touch $P/ext; cat"; c diff.x.textconv "touch $P/tc; cat"; c diff.x.command "touch $P/dc; cat"
 c filter.x.clean "touch $P/clean; cat"; c filter.x.smudge "touch $P/smudge; cat"; c filter.x.process "touch $P/proc; cat"; c merge.x.driver "touch $P/mg; true"; c core.pager "touch $P/pg; cat"; c core.sshCommand "touch $P/ssh"; c core.worktree /; done; : > "$P/.keep"
( cd "$W" && git -c core.worktree="$W" status >/dev/null 2>&1 ); ls "$P" | grep -q . && rm -f "$P"/*      # proof that the canary works, then reset

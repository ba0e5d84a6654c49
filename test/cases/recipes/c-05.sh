echo v1 > f.txt; base; T0=$PREV; user "edit f"
git init -q sub; (G add -A . ) 2>/dev/null && echo UNEXPECTED          # git refuses: sub has no commit
echo v2 > f.txt; step_raw "$T0" "$T0" "edit f.txt" f.txt                # the tool logged the old tree
echo g > g.txt;  step_raw "$T0" ""    "create g.txt" g.txt              # and an empty hash

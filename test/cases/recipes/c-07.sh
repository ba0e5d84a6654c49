echo a > a.txt; echo b > b.txt; echo s > shared.txt; base; T0=$PREV
use A; user "A: edit a and shared"; MA=$ID; echo A > a.txt; echo sA > shared.txt
echo B > b.txt                                                     # B's write lands before A's snapshot
T1=$(snap); step_raw "$T0" "$T1" "A edits" a.txt shared.txt
use B; user "B: edit b and shared"; echo sB > shared.txt; T2=$(snap); step_raw "$T0" "$T2" "B edits" b.txt shared.txt
use A

echo 0 > f; base; T0=$PREV; echo 1 > f; T1=$(snap); echo 2 > f; T2=$(snap); echo 3 > f; T3=$(snap)
cat > "$L" <<X
{"type":"user","id":"msg_ffffffffe000aaa","session":"A","time":1786752000000,"cwd":"$W","text":"first"}
{"type":"step","id":"msg_ffffffffd000bbb","parent":"msg_ffffffffe000aaa","session":"A","time":1786751997000,"before":"$T0","after":"$T1","note":"clock 3 s behind","files":["f"]}
{"type":"user","id":"msg_000000001000ccc","session":"A","time":1786752001000,"text":"second, id wrapped"}
{"type":"step","id":"b2","parent":"msg_000000001000ccc","session":"A","time":1786752001000,"before":"$T1","after":"$T2","note":"same ms as parent","files":["f"]}
{"type":"user","id":"msg_000000000fffddd","session":"A","text":"third, no time, id sorts before second"}
{"type":"step","id":"a1","parent":"msg_000000000fffddd","session":"A","time":1786752001000,"before":"$T2","after":"$T3","note":"id sorts first","files":["f"]}
X

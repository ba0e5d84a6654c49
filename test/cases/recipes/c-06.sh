for i in 1 2 3 4 5; do echo $i > f$i; done; base
user "edit f1"; echo one > f1; step "edit f1" f1
user "just a question"; step "answer only"
echo mine > f5; touch -d 2001-01-01 f2 f3 f4 f5; mani "$W" -m > "$R/m0"

git init -q; printf 'out/\n' > .gitignore; mkdir out data; echo w > out/model.bin; echo a > a.txt; base
user "edit a, add new"; echo A > a.txt; step "edit a" a.txt
echo r1 > data/run1.csv; base                                   # a script, between steps
echo n > new.txt; echo r2 > data/during.csv; step "create new" new.txt   # during.csv: tree diff has it, no tool wrote it
echo r3 > data/after.csv; echo w2 > out/model.bin; mani "$W/.git" > "$R/git0"

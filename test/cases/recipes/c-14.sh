git init -q; echo v1 > f.txt; base; user "edit"; echo v2 > f.txt; step "edit"
for l in "$S/index.lock" "$S/HEAD.lock" "$S/packed-refs.lock" "$S/config.lock" "$S/gc.pid" "$W/.git/index.lock"; do echo x > "$l"; touch -d 2001-01-01 "$l"; done; mani "$S" -m > "$R/s0"; mani "$W/.git" -m > "$R/g0"

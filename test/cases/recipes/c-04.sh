git init -q -b main; git config user.name u; git config user.email u@x; mkdir frontend backend
echo v1 > frontend/app.ts; echo v1 > backend/srv.go; git add -A; git commit -qm init; base
CWD=$W/frontend user "edit app"; echo agent > frontend/app.ts; step "edit app" frontend/app.ts
echo v2 > backend/srv.go; git add backend; git commit -qm teammate; git switch -qc feature
echo wip > backend/wip.txt; git add backend/wip.txt; touch -d 2001-01-01 backend/srv.go; mani "$W/.git" > "$R/git0"; mani "$W/backend" -m > "$R/be0"

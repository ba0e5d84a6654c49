seq 1 20 > app.txt; base; user "change line 3"
sed -i 's/^3$/three (agent)/' app.txt; step "edit app.txt"
sed -i 's/^18$/eighteen (me)/' app.txt; cp app.txt "$R/mine"

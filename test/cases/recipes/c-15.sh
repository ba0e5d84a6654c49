mkdir -p src gone; for i in $(seq 200); do head -c 40000 /dev/urandom > src/$i.bin; done; for i in $(seq 50); do echo $i > gone/$i; done; base
user "big refactor"; for i in $(seq 200); do echo "rewritten $i" > src/$i.bin; done; mkdir added; for i in $(seq 50); do echo $i > added/$i; done; rm -r gone; step "big refactor"; mani "$W" > "$R/m1"
G ls-tree -r -z "$(node -e 'const l=require("fs").readFileSync(process.argv[1],"utf8").split("\n").filter(Boolean).map(JSON.parse);console.log(l.find(x=>x.type=="step").before)' "$L")" | tr '\0' '\n' | wc -l   # 250

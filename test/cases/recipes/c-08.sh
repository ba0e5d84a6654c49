NAMES=("a b.txt" "-rf" "--help" $'new\nline.txt' $'tab\there' 'q"uote.txt' 'back\slash.txt' '中文".txt' $'caf\xc3\xa9' $'cafe\xcc\x81' ':(glob)**' ':!x' '*.txt' '[x].txt' '?' '#hash' ' lead' 'trail ' '%41.txt' '$(touch PWNED)' '`id`' '🙂.txt' $'bad\xff\xfe.bin' '..foo' 'HEAD' '.gitattributes.bak' $'esc\x1b[31m')
for n in "${NAMES[@]}"; do printf v1 > "./$n"; done; printf keep > plain.txt; base; mani "$W" > "$R/m0"
user "edit all"; mkdir "new dir"; for n in "${NAMES[@]}"; do printf v2 > "./$n"; printf n > "new dir/$n"; done; step "edit all"; printf u > user.txt

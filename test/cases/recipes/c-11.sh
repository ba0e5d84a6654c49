printf 'a\r\nb\r\n' > crlf.txt; printf 'a\r\nb\nc\r' > mixed.txt; printf '\xef\xbb\xbfbom\n' > bom.txt; printf '\xff\xfeh\0i\0\n\0' > utf16.txt
printf 'caf\xe9\n' > latin1.txt; printf '\xd6\xd0\xce\xc4\n' > gbk.txt; head -c 3000000 /dev/urandom > rnd.bin; printf noeol > noeol.txt; : > empty.txt; base; mani "$W" > "$R/m0"
user "touch all"; for f in *; do printf '\r\nX' >> "$f"; done; step "touch all"; mani "$W" > "$R/m1"
export HOME=$R/home; mkdir -p "$HOME/.config/git"; printf '[core]\nautocrlf=true\nsafecrlf=true\neol=crlf\nquotepath=true\n' > "$HOME/.gitconfig"
printf '* text eol=crlf\n' > "$HOME/.config/git/attributes"; printf '*.bin\n*.txt\n' > "$HOME/.config/git/ignore"

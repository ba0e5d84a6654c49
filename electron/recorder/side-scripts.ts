/** Exit code of a script for "nothing is there" or "something is there already", which are answers and no failures. */
export const NO = 44;

/**
 * What the recorder does with files on another side, as POSIX shell scripts for `sh -c`. Paths come as arguments, contents by stdin; no
 * path is ever part of a script's text.
 */
export const sideScripts = {
  /** PATH -> its bytes; NO when it is not there. */
  read: `if [ -f "$1" ]; then exec cat "$1"; fi; if [ -e "$1" ]; then exit 1; fi; exit ${NO}`,

  /** PATH RANDOM exclusive|replace, bytes by stdin; NO when exclusive and there already. */
  write: `set -e; umask 077; mkdir -p "\${1%/*}"; tmp="$1.$2.tmp"
if ! cat > "$tmp"; then rm -f "$tmp"; exit 1; fi
sync "$tmp" 2>/dev/null || :
if [ "$3" = replace ]; then exec mv -f "$tmp" "$1"; fi
if ln "$tmp" "$1" 2>/dev/null; then exec rm -f "$tmp"; fi
rm -f "$tmp"; if [ -e "$1" ] || [ -L "$1" ]; then exit ${NO}; fi; exit 1`,

  /** FROM TO; NO when FROM is not there. */
  move: `mv -f "$1" "$2" 2>/dev/null && exit 0; if [ -e "$1" ] || [ -L "$1" ]; then exit 1; fi; exit ${NO}`,

  /** PATH, a file or a folder with all in it. */
  remove: 'exec rm -rf "$1"',

  /** PATH; NO when it is no folder. */
  isFolder: `[ -d "$1" ] || exit ${NO}`,

  /** FROM TO: a copy that is not newer than the original. Nothing there is fine. */
  copyIndex: '[ -f "$1" ] || exit 0; cp "$1" "$2" && touch -r "$1" "$2"',

  /**
   * ROOT GITDIR RANDOM, then a line for each file by stdin: \`kind oid known path\`. kind: remove, file, exec or link; known: yes when a
   * snapshot holds what stands there. The path's odd bytes are \\0ooo for printf. Answers a line for each: ok, skip:reason or fail. Every
   * folder above is looked at again for each file, and no link is followed.
   */
  putBack: `cd "$1" || exit 1; gd=$2; random=$3; n=0
parents() { # $1 path, $2 make: sets why, gone
  why=; gone=; rest=$1; at=.
  while :; do
    case $rest in */*) at="$at/\${rest%%/*}"; rest=\${rest#*/};; *) return 0;; esac
    if [ -L "$at" ]; then why=link; return 0; fi
    if [ ! -d "$at" ]; then
      if [ "$2" != make ]; then gone=yes; return 0; fi
      if [ -e "$at" ]; then why=notfolder; return 0; fi
      mkdir "$at" || return 1
    fi
    if [ -e "$at/.git" ] || [ -L "$at/.git" ]; then why=repository; return 0; fi
  done
}
one() {
  p=$(printf '%bx' "$4"); p=\${p%x}
  case "/$p/" in *//*|*/./*|*/../*|*/.git/*) echo skip:path; return 0;; esac
  if [ "$1" = remove ]; then parents "$p" look || return 1; else parents "$p" make || return 1; fi
  if [ -n "$why" ]; then echo "skip:$why"; return 0; fi
  if [ -n "$gone" ]; then echo ok; return 0; fi
  t=./$p
  if [ -d "$t" ] && [ ! -L "$t" ]; then
    if [ "$1" = remove ] || ! rmdir "$t" 2>/dev/null; then echo skip:folder; return 0; fi
  fi
  if [ -e "$t" ] || [ -L "$t" ]; then
    if [ "$3" != yes ]; then echo skip:unknown; return 0; fi
    if [ ! -L "$t" ] && [ ! -f "$t" ]; then echo skip:special; return 0; fi
  fi
  if [ "$1" = remove ]; then
    rm -f "$t" || return 1
    d=$t; while :; do d=\${d%/*}; [ "$d" = . ] && break; rmdir "$d" 2>/dev/null || break; done
    echo ok; return 0
  fi
  n=$((n + 1)); tmp="\${t%/*}/.turnback-$random-$n.tmp"
  if [ "$1" = link ]; then
    target=$(git --git-dir="$gd" cat-file blob "$2" && echo x) || return 1
    ln -s "\${target%x}" "$tmp" || return 1
  else
    [ -f "$t" ] && [ ! -L "$t" ] && cp -p "$t" "$tmp"
    git --git-dir="$gd" cat-file blob "$2" > "$tmp" || { rm -f "$tmp"; return 1; }
    if [ "$1" = exec ]; then chmod +x "$tmp"; else chmod a-x "$tmp"; fi || return 1
  fi
  [ -L "$t" ] && rm -f "$t"
  mv -f "$tmp" "$t" || { rm -f "$tmp"; return 1; }
  echo ok
}
while read -r kind oid known path; do
  one "$kind" "$oid" "$known" "$path" || { echo fail; exit 0; }
done`,
} as const;

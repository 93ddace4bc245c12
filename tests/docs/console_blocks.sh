#!/usr/bin/env bash
# Runs the ```console blocks of a Markdown page and compares what they print. A line "..." in a block stands
# for any lines; a command without output below it must only succeed. Commands that set up a machine
# (git clone, script/...) are listed and not run here: tests/chroot does.
# usage: tests/docs/console_blocks.sh PAGE.md FOLDER-OF-EXECUTABLES
set -euo pipefail
page=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$(realpath "$2"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$top/configs" configs
mkdir -p results/demo

failed=0
ran=0

# Whether the lines of file $1 (with "..." for any) are those of file $2.
matches() {
  local -a wanted actual
  mapfile -t wanted <"$1"
  mapfile -t actual <"$2"
  local at=0 skipping=false line
  for line in "${wanted[@]}"; do
    if [ "$line" = "..." ]; then
      skipping=true
      continue
    fi
    while $skipping && [ $at -lt ${#actual[@]} ] && [ "${actual[$at]}" != "$line" ]; do
      at=$((at + 1))
    done
    [ $at -lt ${#actual[@]} ] && [ "${actual[$at]}" = "$line" ] || return 1
    at=$((at + 1))
    skipping=false
  done
  $skipping || [ $at -eq ${#actual[@]} ]
}

finish() {  # runs $command and compares it with the file `wanted`
  [ -n "$command" ] || return 0
  case "$command" in
    "git clone"* | "cd "* | script/*) echo "not run here: $command"; command=; return 0 ;;
  esac
  ran=$((ran + 1))
  local status=0
  bash -c "$command" >stdout 2>stderr </dev/null || status=$?
  if [ $status -ne 0 ]; then
    echo "FAILED (exit code $status): $command"
    cat stderr
    failed=1
  elif [ -s wanted ] && ! matches wanted stdout; then
    echo "DIFFERS: $command"
    diff wanted stdout || true
    failed=1
  else
    echo "ok: $command"
  fi
  command=
}

in_block=false
command=
continues=false
while IFS= read -r line || [ -n "$line" ]; do
  if ! $in_block; then
    [ "$line" = '```console' ] && in_block=true
  elif [ "$line" = '```' ]; then
    finish
    in_block=false
  elif $continues; then
    command+=$'\n'$line
  elif [[ $line == '$ '* ]]; then
    finish
    command=${line:2}
    : >wanted
  else
    echo "$line" >>wanted
  fi
  if [[ $in_block == true && ( $continues == true || $line == '$ '* ) && $line == *\\ ]]; then continues=true; else continues=false; fi
done <"$page"

[ $ran -gt 0 ] || { echo "no command found in $page"; exit 1; }
exit $failed

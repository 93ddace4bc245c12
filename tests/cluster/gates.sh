#!/usr/bin/env bash
# Health checks under mpirun: the exit code and what is said, for --min-busbw, --matrix and nccl-tests' table.
# usage: gates.sh BIN-FOLDER
set -uo pipefail
export PATH=$1:$PATH
command -v mpirun >/dev/null || { echo "skipped: no mpirun (Debian: openmpi-bin)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
bench() { mpirun --quiet --oversubscribe "${root[@]}" -np "$1" railyard-cluster bench --timeout '60 s' "${@:2}" >"$work/out" 2>"$work/err"; code=$?; }
problem() { echo "FAILED: $1"; head -20 "$work/out" "$work/err"; failed=1; }
exits() { [ "$code" -eq "$1" ] || problem "exit code $code, not $1"; }

bench 2 --algorithm ring --bytes 256K -n 3 --min-busbw '1000000 GB/s'
exits 1
grep -Eq 'the best busbw is [0-9.e+-]+ GB/s \(at 262144 bytes\), less than 1e\+06 GB/s' "$work/err" || problem "the gate is not named"
[ "$(grep -c 'less than' "$work/err")" -eq 1 ] || problem "said by more than one rank"
bench 2 --algorithm native --bytes 256K -n 3 --min-busbw '1 Kb/s'
exits 0

# Whether a pair is slow is up to the machine; that rows, names and exit code agree is not.
for flags in "" "--alone"; do
  # shellcheck disable=SC2086
  bench 5 --matrix $flags --bytes 64K -w 1 -n 3 --csv -
  slow=$(awk -F, 'NR > 1 && $9 < 0.75' "$work/out" | wc -l)
  [ "$(grep -c 'error: slow: rank [0-9]* (.*) to rank' "$work/err")" -eq "$slow" ] || problem "$slow pairs are slow, and others are named"
  exits "$([ "$slow" -eq 0 ] && echo 0 || echo 1)"
  [ "$(cut -d, -f1,2 "$work/out" | tail -n +2 | sort -u | wc -l)" -eq 20 ] || problem "not every pair of five once"
  awk -F, 'NR > 1 && !($7 > 0 && $8 > 0) { exit 1 }' "$work/out" || problem "a pair without a time"
done

bench 3 --format nccl-tests --algorithm native --collective reduce_scatter --op avg --type uint32 -b 12K -e 120K -f 10 -n 3
exits 0
[ "$(grep -Ec '^ +[0-9]+ +[0-9]+ +uint32 +avg +-1( +[0-9.]+ +[0-9.]+ +[0-9.]+ +0){2}$' "$work/out")" -eq 2 ] || problem "not two rows of nccl-tests"
grep -q '^# Out of bounds values : 0 OK$' "$work/out" || problem "no closing lines"
exit $failed

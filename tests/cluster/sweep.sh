#!/usr/bin/env bash
# Sweeps on threads, ranks and shards: the same rows everywhere, and nothing lost or done twice when processes are killed.
# usage: sweep.sh BIN-FOLDER
set -uo pipefail
export PATH=$1:$PATH
command -v mpirun >/dev/null || { echo "skipped: no mpirun (Debian: openmpi-bin)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
problem() { echo "FAILED: $1"; head -20 out err; failed=1; }
words=(--grid nodes=1,2,4 --grid 'bytes=1K..16M:*2' --set cluster=dgx_h100_ndr400)
# Each point takes some ten milliseconds: packets of a ring.
slow=(--grid 'bytes=512K..8M:+512K' --grid seed=1..4 --set cluster=hgx_h200_roce400)
slow_command=(sim --fidelity packet --algorithm ring --nodes 2)
on_ranks() { mpirun --oversubscribe --enable-recovery "${root[@]}" -np "$1" railyard-cluster sweep "${@:2}" >out 2>err; }
has_rows() { railyard sweep show "$1" --columns point >/dev/null 2>&1; }
rows() { railyard sweep show "$1" --csv - 2>/dev/null; }

railyard sweep "${words[@]}" --db threads.sqlite --threads 1 -- sim >out 2>err || problem "one thread"
grep -q '^45 points: 45 run now, 0 before; 0 failed$' out || problem "not 45 points"
rows threads.sqlite >expected
[ "$(wc -l <expected)" -eq 46 ] || problem "not a row per point"
railyard sweep "${words[@]}" --db more.sqlite --threads 4 -- sim >out 2>err || problem "four threads"
rows more.sqlite | cmp - expected || problem "rows depend on the number of threads"
for ranks in 1 2 4; do
  on_ranks "$ranks" "${words[@]}" --db "ranks$ranks.sqlite" -- sim || problem "$ranks ranks"
  rows "ranks$ranks.sqlite" | cmp - expected || problem "rows depend on the number of ranks"
done

# A job array: the tasks of the script one after another, then the merge.
railyard sweep "${words[@]}" --db array.sqlite --emit slurm-array --shards 4 -- sim >array.sh 2>err || problem "no script"
for task in 0 1 2 3; do SLURM_ARRAY_TASK_ID=$task bash array.sh >out 2>err || problem "task $task"; done
railyard sweep merge array.sqlite array.shard*.sqlite >out 2>err || problem "merge"
rows array.sqlite | cmp - expected || problem "rows of the array differ"
railyard sweep "${words[@]}" --db array.sqlite -- sim >out 2>err
grep -q '^45 points: 0 run now, 45 before; 0 failed$' out || problem "merged points run again"

# kill -9 in the middle, as often as it takes: what is done stays, and is not done again.
# Each try gets a third of what the whole sweep takes on this machine.
started=$(date +%s%N)
railyard sweep "${slow[@]}" --db whole.sqlite --threads 2 -- "${slow_command[@]}" >out 2>err || problem "slow sweep"
third=$(awk -v from="$started" -v to="$(date +%s%N)" 'BEGIN { printf "%.3f", (to - from) / 3e9 }')
rows whole.sqlite >expected
kills=0
for _ in $(seq 40); do
  railyard sweep "${slow[@]}" --db killed.sqlite --threads 2 -- "${slow_command[@]}" >out 2>err &
  child=$!
  sleep "$third"
  kill -9 "$child" 2>/dev/null && kills=$((kills + 1))
  wait "$child" 2>/dev/null && break
  [ "$(rows killed.sqlite | wc -l)" -lt 65 ] || break
done
railyard sweep "${slow[@]}" --db killed.sqlite -- "${slow_command[@]}" >out 2>err || problem "resume after kill -9"
rows killed.sqlite | cmp - expected || problem "rows after $kills kills differ"
[ "$kills" -gt 0 ] || problem "nothing was killed"

# A rank is killed: the others do its points. With --enable-recovery mpirun itself goes on.
mpirun --oversubscribe --enable-recovery "${root[@]}" -np 4 railyard-cluster sweep "${slow[@]}" --db rank.sqlite -- "${slow_command[@]}" >out 2>err &
launcher=$!
victim=
for _ in $(seq 100); do
  sleep 0.1
  has_rows rank.sqlite || continue
  for child in $(pgrep -P "$launcher"); do
    grep -qz 'OMPI_COMM_WORLD_RANK=2' "/proc/$child/environ" 2>/dev/null && victim=$child
  done
  break
done
[ -n "$victim" ] && kill -9 "$victim" || problem "rank 2 was not found"
wait "$launcher"
grep -q '^64 points: 64 run now, 0 before; 0 failed$' out || problem "a rank's death lost points"
grep -q 'note: .*rank 2 (process [0-9]*) is gone; another rank runs its task' err || problem "the dead rank is not named"
rows rank.sqlite | cmp - expected || problem "rows after a rank's death differ"

# All ranks are killed; threads finish what they left.
mpirun --oversubscribe --enable-recovery "${root[@]}" -np 4 railyard-cluster sweep "${slow[@]}" --db all.sqlite -- "${slow_command[@]}" >out 2>err &
launcher=$!
for _ in $(seq 100); do
  sleep 0.1
  ! has_rows all.sqlite || break
done
# shellcheck disable=SC2046
kill -9 $(pgrep -P "$launcher") "$launcher"
wait "$launcher" 2>/dev/null
railyard sweep "${slow[@]}" --db all.sqlite -- "${slow_command[@]}" >out 2>err || problem "resume after all were killed"
rows all.sqlite | cmp - expected || problem "rows after all were killed differ"

# Wrong input is said once. (With --enable-recovery mpirun itself ends with 0 whatever its ranks do.)
mpirun --quiet --oversubscribe "${root[@]}" -np 2 railyard-cluster sweep "${words[@]}" --db threads.sqlite -- explain >out 2>err
[ $? -eq 2 ] || problem "another sweep's database is not wrong input"
[ "$(grep -c 'belongs to another sweep' err)" -eq 1 ] || problem "not said once"
exit $failed

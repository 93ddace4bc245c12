#!/usr/bin/env bash
# Every kind, algorithm, type and operation gives the right result on every rank. usage: results.sh BIN-FOLDER
set -uo pipefail
export PATH=$1:$PATH
command -v mpirun >/dev/null || { echo "skipped: no mpirun (Debian: openmpi-bin)"; exit 77; }
failed=0
# bench RANKS FLAGS...: the rows must be there, and nothing wrong in them
bench() {
  local csv
  csv=$(railyard bench --backend mpi --gpus "$1" -w 0 -n 1 --timeout '60 s' --csv - "${@:2}" 2>&1) || { echo "exit $? of $*"; failed=1; }
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { rows++; bad += $at["wrong"] != 0 || $at["ranks"] != '"$1"' }
    END { exit !(rows > 0 && bad == 0) }' <<<"$csv" || { echo "wrong: bench $*"; echo "$csv"; failed=1; }
}
for kind in all_reduce all_gather reduce_scatter broadcast reduce all_to_all send_recv; do
  bench 3 --collective $kind --algorithm native --place both -r 2 -b 4 -e 64K -f 128
done
bench 4 --algorithm ring --channels 3 --segment 1K --place both -b 4 -e 1M -f 64
bench 4 --algorithm tree --segment 100 -b 4 -e 1M -f 64 --type float16
bench 3 --algorithm halving_doubling --type bfloat16 --op max --bytes 100K
bench 3 --algorithm native --type float16 --op prod --bytes 10K
bench 2 --algorithm native --type int8 --op min --mode back_to_back --bytes 10K
bench 4 --collective reduce_scatter --algorithm ring --type int64 --op prod --bytes 40K
bench 4 --collective all_to_all --in-flight 1 --bytes 1M
bench 4 --collective reduce --algorithm tree -r 3 --bytes 100K --type float64
for type in uint8 uint32 uint64 bfloat16 float; do bench 3 --algorithm native --type $type --op avg --bytes 12K; done
bench 3 --algorithm ring --type uint8 --op avg --place both --bytes 12K
bench 4 --collective reduce_scatter --algorithm ring --type half --op avg --bytes 40K
bench 3 --collective reduce --algorithm tree -r 1 --type uint64 --op min --bytes 12K
# Workloads: collectives of pairs; messages between stages.
examples=$(cd "$(dirname "$0")/../../configs/examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bench 4 --workload "$examples/workload.json"
railyard replay "$examples/pipeline.goal" --cluster dgx_a100_hdr200 --nodes 1 --write-workload "$work/pipeline.json" >"$work/replay" ||
  { cat "$work/replay"; failed=1; }
bench 4 --workload "$work/pipeline.json" --segment 1M
exit $failed

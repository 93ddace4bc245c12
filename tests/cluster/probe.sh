#!/usr/bin/env bash
# railyard probe under mpirun: one cluster file of all hosts, what differs is said. Hosts are UTS namespaces with names
# of their own, which needs root. usage: probe.sh BIN-FOLDER
set -uo pipefail
export PATH=$1:$PATH
command -v mpirun >/dev/null || { echo "skipped: no mpirun (Debian: openmpi-bin)"; exit 77; }
[ "$(id -u)" -eq 0 ] && unshare --uts --mount true 2>/dev/null || { echo "skipped: needs root, to give hosts names"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
problem() { echo "FAILED: $1"; cat "$work/err"; failed=1; }
says() { grep -Eq -- "$1" "$work/err" || problem "no '$1'"; }
# A rank as on host h<rank / PER_HOST>; on host OTHER the folder that is probed is another, mounted in its place.
cat >"$work/rank" <<RANK
#!/usr/bin/env bash
host=h\$((OMPI_COMM_WORLD_RANK / \${PER_HOST:-1}))
exec unshare --uts --mount bash -c 'hostname "\$0"; [ "\$0" != "\${OTHER:-}" ] || mount --bind $work/other $work/root; exec "\$@"' \
  \$host railyard-cluster probe --libraries /nowhere --root $work/root "\$@"
RANK
chmod +x "$work/rank"
for root in root other; do
  mkdir -p "$work/$root"/{proc/sys/kernel,sys/devices/system/node/node0,sys/class/net/eth0}
  echo 0-1 >"$work/$root/sys/devices/system/node/node0/cpulist"
  echo 1 >"$work/$root/sys/class/net/eth0/type"
  echo 1000 >"$work/$root/sys/class/net/eth0/speed"
done
echo 100 >"$work/other/sys/class/net/eth0/speed"
run() { mpirun --quiet --allow-run-as-root --oversubscribe -np "$1" "$work/rank" "${@:2}" >"$work/out" 2>"$work/err"; code=$?; }
exits() { [ "$code" -eq "$1" ] || problem "exit code $code, not $1"; }

run 4 --memory-rate '8 GB/s' -o "$work/c.json"
exits 0
says 'c.json: 4 nodes, 8 ranks, 4 NICs'
grep -q 'differs' "$work/err" && problem "equal hosts differ"
railyard topo check "$work/c.json" 2>"$work/err" >/dev/null || problem "not a cluster"

# One host's NIC is slower: nodes of two kinds, in the order of hosts.
OTHER=h1 run 3 --memory-rate '8 GB/s' -o "$work/c.json"
exits 0
says 'host h1 differs from host h0: "bandwidth": "100 Mb/s" instead of "bandwidth": "1 Gb/s"'
says 'c.json: 3 nodes, 6 ranks, 3 NICs'
railyard topo check "$work/c.json" 2>"$work/err" >/dev/null || problem "not a cluster"
[ "$(grep -c '"node": "c[01].node.json"' "$work/c.json")" -eq 3 ] || { problem "not three groups"; cat "$work/c.json"; }

# Three processes on each host: so many ranks.
PER_HOST=3 run 6 --memory-rate '8 GB/s' -o "$work/c.json"
exits 0
says 'c.json: 2 nodes, 6 ranks, 2 NICs'
railyard bench --gpus 6 --bytes 4K -n 1 --predict "$work/c.json" >/dev/null 2>"$work/err" || problem "cannot be predicted on"

run 2 --memory-rate '8 GB/s' --nodes 3 -o "$work/c.json"
exits 2
says 'error: .*--nodes: 3 nodes are requested, but ranks run on 2 hosts'
run 2 --memory-rate fast -o "$work/c.json"
exits 2

# What is measured on hosts of one machine is measured by turns.
run 3 --ranks 2 -o "$work/c.json"
exits 0
says 'c.json: 3 nodes, 6 ranks, 3 NICs'
exit $failed

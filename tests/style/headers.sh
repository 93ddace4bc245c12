#!/usr/bin/env bash
# Compiles headers of the rooms alone. usage: headers.sh COMPILER SOURCE-DIR [COMPILER-FLAG...]
#
# A header that its .cpp file includes first is left out: it compiles alone if that file does, which the sanitizer builds
# and script/compile-alone check for every file.
#
# Most of the time would be the parsing of the headers at the bottom of the house, again for each header above them.
# They are therefore precompiled, and a header is compiled after the first of them that it includes, directly or not.
# This proves the same, because only what the header includes itself was there before it.
set -euo pipefail
compiler=$1
cd "$2"
shift 2
flags=(-std=c++20 -Wall -Wextra -Werror -I. "$@")

precompiled=(
  '"core/config/fields.hpp"'
  '"placement/simulate/verify_search.hpp"'
  '"placement/jobs/place_problem.hpp"'
  '"collectives/schedule/schedule.hpp"'
  '"placement/cost/cost_context.hpp"'
  '"core/config/config_node.hpp"'
  '"topology/cluster/cluster.hpp"'
  '"apps/cli/context.hpp"'
  '"core/config/enum_names.hpp"'
  '"sim/maxmin/flow_table.hpp"'
  '"placement/model/model.hpp"'
  '"core/units.hpp"'
  '<functional>'
  '<string>'
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Headers below hw/mpi and hw/nccl need libraries that a machine may lack; their own builds check them.
mapfile -t headers < <(find core topology collectives sim hw placement apps -name '*.hpp' \
  -not -path 'hw/mpi/*' -not -path 'hw/nccl/*' | sort)
for header in "${headers[@]}"; do
  source=${header%.hpp}.cpp
  [ -f "$source" ] && [ "$(grep -m1 '^#include' "$source")" = "#include \"$header\"" ] || echo "$header"
done >"$work/chosen"
[ -s "$work/chosen" ] || { echo "no headers in $PWD" >&2; exit 1; }

# "NUMBER HEADER": the first precompiled header that HEADER includes, 0 where there is none.
awk -v precompiled="${precompiled[*]}" -v chosen="$work/chosen" '
  /^#include / { includes["\"" FILENAME "\""] = includes["\"" FILENAME "\""] " " $2 }
  function reach(header,    count, i, list) {
    if (header in reached) return
    reached[header]
    count = split(includes[header], list, " ")
    for (i = 1; i <= count; ++i) reach(list[i])
  }
  END {
    first_count = split(precompiled, first, " ")
    while ((getline line <chosen) > 0) is_chosen[line]
    for (i = 1; i < ARGC; ++i) {
      if (!(ARGV[i] in is_chosen)) continue
      split("", reached)
      header = "\"" ARGV[i] "\""
      reach(header)
      for (j = 1; j <= first_count; ++j) if (first[j] != header && first[j] in reached) break
      print (j > first_count ? 0 : j), ARGV[i]
    }
  }' "${headers[@]}" >"$work/jobs"

: >"$work/0.hpp"
for i in "${!precompiled[@]}"; do
  printf '#include %s\n' "${precompiled[$i]}" >"$work/$((i + 1)).hpp"
done
seq "${#precompiled[@]}" | xargs -P "$(nproc)" -I{} \
  "$compiler" "${flags[@]}" -x c++-header "$work/{}.hpp" -o "$work/{}.hpp.gch"
xargs -P "$(nproc)" -L1 bash -c '
  "${@:2:$#-3}" -fsyntax-only -include "$1/${@: -2:1}.hpp" -include "${@: -1}" -x c++ /dev/null' \
  headers "$work" "$compiler" "${flags[@]}" <"$work/jobs"

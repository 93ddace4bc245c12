#!/usr/bin/env bash
# Compiles every header of the rooms alone. usage: headers.sh COMPILER SOURCE-DIR [COMPILER-FLAG...]
set -euo pipefail
compiler=$1
cd "$2"
shift 2

# Headers below hw/mpi and hw/nccl need libraries that a machine may lack; their own builds check them.
find core topology collectives sim hw placement apps -name '*.hpp' \
  -not -path 'hw/mpi/*' -not -path 'hw/nccl/*' -print0 |
  xargs -0 -P "$(nproc)" -I{} "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror \
    -I. "$@" -include {} -x c++ /dev/null

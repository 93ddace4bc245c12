# Precompiled headers: the standard library and fmt for the rooms, GoogleTest as well for the tests.
# They only save time: every source file includes what it uses, which the build without them checks
# (-DRAILYARD_PRECOMPILE=OFF).
option(RAILYARD_PRECOMPILE "Precompile the headers that most files include" ON)

set(RAILYARD_STANDARD_HEADERS
  <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant>
  <vector> <fmt/format.h>)

# railyard_precompile(<target> [REUSE <other>] [HEADERS <header>...]): the headers above for a target;
# REUSE takes those that another target of the same compile options has made.
function(railyard_precompile target)
  if(NOT RAILYARD_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 precompile "" "REUSE" "HEADERS")
  if(precompile_REUSE)
    target_precompile_headers(${target} REUSE_FROM ${precompile_REUSE})
  else()
    target_precompile_headers(${target} PRIVATE ${RAILYARD_STANDARD_HEADERS} ${precompile_HEADERS})
  endif()
endfunction()

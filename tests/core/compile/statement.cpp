// Compiled with -fsyntax-only by tests/core/CMakeLists.txt, with STATEMENT given there.
#include "core/id.hpp"
#include "core/units.hpp"

using namespace railyard;

void statement(Time time, Bytes bytes, Bandwidth bandwidth, Rank rank, NodeId node);
void statement([[maybe_unused]] Time time, [[maybe_unused]] Bytes bytes,
               [[maybe_unused]] Bandwidth bandwidth, [[maybe_unused]] Rank rank,
               [[maybe_unused]] NodeId node) {
  STATEMENT;
}

// GOAL text: any bytes are a program or an InputError, and a program is a workload or an
// InputError.
#include <cstdint>
#include <string_view>

#include "collectives/formats/traces/goal_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "core/diagnostic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    collectives::GoalProgram program = collectives::read_goal(text, "fuzz");
    // A million empty ranks are a valid file, and slow.
    if (program.ranks.size() > 64) return 0;
    (void)collectives::check_workload(
        collectives::workload_of_goal(std::move(program), "fuzz").workload);
  } catch (const InputError&) {
  }
  return 0;
}

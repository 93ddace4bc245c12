#include "core/memory_need.hpp"

#include <fmt/format.h>

#include "core/available_memory.hpp"
#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

// Runs that take less are not worth a sentence.
constexpr double kAnnounced = 0.1;

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / 0x1p30);
}

}  // namespace

MachineMemory machine_memory() {
  return {.total = total_memory(), .available = available_memory()};
}

std::string check_memory(const MemoryNeed& need, const MachineMemory& memory) {
  std::string text = fmt::format("{} needs about {} of memory", need.run, gibibytes(need.bytes));
  if (need.bytes > memory.available) {
    const double part = static_cast<double>(memory.available) / static_cast<double>(need.bytes);
    std::string hint;
    if (need.what_fits) hint = fmt::format("about {} would fit", need.what_fits(part));
    if (!need.instead.empty()) hint += fmt::format("; {} needs less", need.instead);
    throw InputError("", need.flag,
                     fmt::format("{}, and {} are available", text, gibibytes(memory.available)),
                     hint);
  }
  if (static_cast<double>(need.bytes) < kAnnounced * static_cast<double>(memory.total)) return "";
  return fmt::format("{} of the {} that are available", text, gibibytes(memory.available));
}

}  // namespace railyard::core

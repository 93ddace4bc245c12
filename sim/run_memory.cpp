#include "sim/run_memory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/memory_need.hpp"

namespace railyard::sim {
namespace {

using collectives::Schedule;
using collectives::Task;

// Smaller runs fit on every machine, so the available memory is not queried. Runs with many small
// parts would query it often.
constexpr std::uint64_t kLittle = std::uint64_t{1} << 28;

/// Describes a run that would fit into the fraction `part` of the memory. Memory grows with the
/// number of pairs of ranks if every rank sends to most others; otherwise with the number of ranks.
std::string fitting(const RunMemory& memory, double part) {
  if (memory.tasks.size() > 1)
    return fmt::format("{:.0f} of the {} collectives or messages",
                       std::floor(part * static_cast<double>(memory.tasks.size())),
                       memory.tasks.size());
  const Schedule& schedule = *memory.tasks.front().schedule;
  if (memory.grows_with_bytes) {
    const auto bytes = static_cast<double>(schedule.collective().bytes.count());
    const auto fits = static_cast<std::int64_t>(std::exp2(std::floor(std::log2(part * bytes))));
    return fmt::format("a size of {}", core::to_text(Bytes(fits)));
  }
  const auto ranks = static_cast<double>(schedule.participants());
  const bool has_all_pairs =
      static_cast<double>(schedule.transfer_count()) >= ranks * (ranks - 1) / 2;
  return fmt::format("{:.0f} ranks (--gpus, --nodes)",
                     std::floor(ranks * (has_all_pairs ? std::sqrt(part) : part)));
}

}  // namespace

void check_memory(const RunMemory& memory, const Announce& announce) {
  if (memory.bytes <= kLittle || memory.tasks.empty()) return;
  std::uint64_t transfers = 0;
  for (const Task& task : memory.tasks) transfers += task.schedule->transfer_count();
  const std::string text = core::check_memory(
      {.bytes = memory.bytes,
       .run = fmt::format("the {} simulation of {} transfers", memory.engine, transfers),
       .flag = {},
       .what_fits = [&](double part) { return fitting(memory, part); },
       .instead = memory.instead});
  if (announce && !text.empty()) announce(text);
}

}  // namespace railyard::sim

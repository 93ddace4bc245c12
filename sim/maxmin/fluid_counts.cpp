#include "sim/maxmin/fluid_counts.hpp"

#include <fmt/core.h>

namespace railyard::sim {

void FluidCounts::add(const FluidCounts& other) {
  full += other.full;
  partial += other.partial;
  local += other.local;
  unchanged += other.unchanged;
  level_solves += other.level_solves;
  level_passes += other.level_passes;
  equal_starts += other.equal_starts;
  prunings += other.prunings;
  pruned_links += other.pruned_links;
  folded_streams += other.folded_streams;
  folded_classes += other.folded_classes;
  symmetric_sets += other.symmetric_sets;
  merges = merges || other.merges;
  early.put_beside(other.early);
}

std::string to_text(const FluidCounts& counts) {
  std::string text =
      fmt::format("max-min: {} full, {} partial, {} local solves, {} events without a change",
                  counts.full, counts.partial, counts.local, counts.unchanged);
  if (counts.level_solves > 0)
    text += fmt::format(", {} solves by link levels in {} passes", counts.level_solves,
                        counts.level_passes);
  if (counts.prunings > 0)
    text += fmt::format(", {} times without links that cannot fill ({} in all)", counts.prunings,
                        counts.pruned_links);
  if (counts.equal_starts > 0)
    text += fmt::format("; {} batches of equal starts by one solve each", counts.equal_starts);
  if (counts.folded_streams > 0)
    text += fmt::format("; {} streams folded into {} classes", counts.folded_streams,
                        counts.folded_classes);
  if (counts.symmetric_sets > 0)
    text += fmt::format(" (in {} symmetric sets)", counts.symmetric_sets);
  if (counts.merges)
    text += fmt::format(
        "; merging completions ended streams up to {:.3g} us and {:.4g} B early, {:.3g} us over "
        "all batches",
        counts.early.seconds * 1e6, counts.early.bytes, counts.early.total_seconds * 1e6);
  return text;
}

}  // namespace railyard::sim

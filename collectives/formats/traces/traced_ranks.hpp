#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// The ranks of a job that have a trace, and the programs of the others.
///
/// A rank without a trace runs the program of the nearest traced rank below it (or of the first),
/// with groups shifted to its own position. Groups are assumed to form a grid: a group {a, a+s,
/// ..., a+(n-1)s} belongs to blocks of n*s ranks, each with s groups of n ranks at distance s. For
/// 16 ranks and the group {1, 5, 9, 13} the other groups are {0, 4, 8, 12}, {2, 6, 10, 14} and {3,
/// 7, 11, 15}.
class TracedRanks {
 public:
  /// `traced`: ascending, below `world`.
  TracedRanks(std::vector<std::uint32_t> traced, std::uint32_t world);

  [[nodiscard]] std::uint32_t world() const { return world_; }
  [[nodiscard]] std::span<const std::uint32_t> traced() const { return traced_; }
  [[nodiscard]] bool is_complete() const { return traced_.size() == world_; }
  /// A role for each traced rank, in order; role i runs program i.
  [[nodiscard]] std::vector<WorkloadRole> roles() const;
  /// "rank 0 also stands for 7 ranks without a trace", or "".
  [[nodiscard]] std::string note() const;

 private:
  std::vector<std::uint32_t> traced_;
  std::uint32_t world_;
};

/// The families of groups of an imported workload.
class FamilyTable {
 public:
  explicit FamilyTable(const TracedRanks& ranks) : ranks_(ranks) {}

  /// The index of the family with this group; adds it if needed. Groups with different names are
  /// different communicators. Throws std::invalid_argument with the reason if a rank is outside the
  /// job, or if no such group exists for ranks without a trace.
  [[nodiscard]] std::uint32_t family(std::string_view name,
                                     const std::vector<std::uint32_t>& group);
  /// The family of all ranks, in order.
  [[nodiscard]] std::uint32_t world_family();
  [[nodiscard]] std::vector<GroupFamily> take() { return std::move(families_); }

 private:
  /// The number of each group of a communicator.
  using Numbers = std::map<std::vector<std::uint32_t>, std::uint32_t>;
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> groups_like(
      const std::vector<std::uint32_t>& group) const;

  const TracedRanks& ranks_;
  std::vector<GroupFamily> families_;
  std::map<std::string, Numbers, std::less<>> known_;
  std::optional<std::uint32_t> world_family_;
};

}  // namespace railyard::collectives

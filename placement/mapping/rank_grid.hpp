#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/id.hpp"

namespace railyard::placement {

/// A rank of the job, as its framework numbers it. A Mapping assigns GPUs to ranks.
using JobRank = Id<struct JobRankTag>;

/// The parallel dimensions that ranks are numbered by.
enum class GridAxis : std::uint8_t { tp, cp, ep, dp, pp };
inline constexpr std::size_t kGridAxes = 5;

/// Text: "tp", "cp", "ep", "dp" or "pp".
[[nodiscard]] std::string_view to_text(GridAxis axis);

/// A run of an axis in a numbering. An axis may be split into several runs, the first of which
/// counts fastest.
struct GridDimension {
  GridAxis axis{};
  int size = 1;
  friend bool operator==(const GridDimension&, const GridDimension&) = default;
};

/// "tp8-dp4-pp2-dp16", fastest first, without runs of size 1.
[[nodiscard]] std::string to_text(std::span<const GridDimension> dimensions);

/// Megatron-LM's default numbering, fastest axis first.
inline constexpr std::string_view kMegatronOrder = "tp-cp-ep-dp-pp";

/// Sizes of the axes.
struct AxisSizes {
  int tp = 1, cp = 1, ep = 1, dp = 1, pp = 1;
  [[nodiscard]] int of(GridAxis axis) const;
};

/// Disjoint ordered groups of ranks, in CSR form.
class RankGroups {
 public:
  RankGroups() = default;
  /// Consecutive groups of `size` ranks. Requires members.size() to be a multiple of size.
  RankGroups(std::vector<JobRank> members, std::size_t size);
  void add(std::span<const JobRank> group);
  [[nodiscard]] std::size_t count() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const JobRank> operator[](std::size_t group) const {
    return std::span(members_).subspan(first_[group], first_[group + 1] - first_[group]);
  }
  [[nodiscard]] std::span<const JobRank> members() const { return members_; }

 private:
  std::vector<JobRank> members_;
  std::vector<std::size_t> first_{0};
};

/// The ranks of a job as a mixed-radix number over named axes:
/// rank = c_0 + s_0 (c_1 + s_1 (c_2 + ...)), dimension 0 the fastest.
class RankGrid {
 public:
  /// Throws InputError if a size is below 1 or there are more than 2^31 ranks.
  explicit RankGrid(std::vector<GridDimension> dimensions);
  /// Sizes in an order such as "tp-cp-ep-dp-pp" (fastest first). `ep` divides the data-parallel
  /// ranks; `dp` is then the number of replicas of an expert. Throws InputError if an axis is
  /// unknown, occurs twice, or has a size above 1 and is missing.
  [[nodiscard]] static RankGrid in_order(const AxisSizes& sizes,
                                         std::string_view order = kMegatronOrder);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int size(GridAxis axis) const;
  [[nodiscard]] std::span<const GridDimension> dimensions() const { return dimensions_; }
  /// Position of a rank along an axis.
  [[nodiscard]] int coordinate(JobRank rank, GridAxis axis) const;
  /// The groups of ranks that differ only along the given axes, each in rank order; groups are
  /// ordered by their first rank.
  [[nodiscard]] RankGroups groups(std::initializer_list<GridAxis> axes) const;
  /// The ranks in the order of another numbering of the same axes: element p is the rank with the
  /// number p in `layout`. Throws InputError if the sizes of an axis differ.
  [[nodiscard]] std::vector<JobRank> ranks_in(std::span<const GridDimension> layout) const;

 private:
  std::vector<GridDimension> dimensions_;
  std::size_t size_ = 1;
};

}  // namespace railyard::placement

#include "placement/mapping/rank_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

constexpr std::array<std::string_view, kGridAxes> kNames{"tp", "cp", "ep", "dp", "pp"};

GridAxis parse_axis(std::string_view word, std::string_view order) {
  const auto found = std::ranges::find(kNames, word);
  if (found == kNames.end()) {
    throw InputError("", "order", fmt::format("unknown axis '{}' in '{}'", word, order),
                     "tp, cp, ep, dp and pp, joined by '-', fastest first");
  }
  return static_cast<GridAxis>(found - kNames.begin());
}

std::vector<GridAxis> parse_order(std::string_view order) {
  std::vector<GridAxis> axes;
  while (true) {
    const std::size_t dash = order.find('-');
    const GridAxis axis = parse_axis(order.substr(0, dash), order);
    if (std::ranges::find(axes, axis) != axes.end()) {
      throw InputError("", "order", fmt::format("axis '{}' appears twice", to_text(axis)),
                       "list each axis once");
    }
    axes.push_back(axis);
    if (dash == std::string_view::npos) return axes;
    order.remove_prefix(dash + 1);
  }
}

}  // namespace

std::string_view to_text(GridAxis axis) { return kNames[static_cast<std::size_t>(axis)]; }

std::string to_text(std::span<const GridDimension> dimensions) {
  std::string text;
  for (const GridDimension& d : dimensions) {
    if (d.size > 1) text += fmt::format("{}{}{}", text.empty() ? "" : "-", to_text(d.axis), d.size);
  }
  return text.empty() ? "1" : text;
}

int AxisSizes::of(GridAxis axis) const {
  const std::array<int, kGridAxes> sizes{tp, cp, ep, dp, pp};
  return sizes[static_cast<std::size_t>(axis)];
}

RankGroups::RankGroups(std::vector<JobRank> members, std::size_t size)
    : members_(std::move(members)) {
  for (std::size_t end = size; end <= members_.size(); end += size) first_.push_back(end);
}

void RankGroups::add(std::span<const JobRank> group) {
  members_.insert(members_.end(), group.begin(), group.end());
  first_.push_back(members_.size());
}

RankGrid::RankGrid(std::vector<GridDimension> dimensions) : dimensions_(std::move(dimensions)) {
  constexpr std::size_t kMostRanks = std::size_t{1} << 31;  // ids have 32 bits
  for (const GridDimension& d : dimensions_) {
    if (d.size < 1) {
      throw InputError("", std::string(to_text(d.axis)),
                       fmt::format("a parallel size must be at least 1, not {}", d.size));
    }
    size_ *= static_cast<std::size_t>(d.size);
    if (size_ > kMostRanks) {
      throw InputError("", std::string(to_text(d.axis)),
                       "the product of the parallel sizes is too large");
    }
  }
}

RankGrid RankGrid::in_order(const AxisSizes& sizes, std::string_view order) {
  const std::vector<GridAxis> axes = parse_order(order);
  std::vector<GridDimension> dimensions;
  for (const GridAxis axis : axes) dimensions.push_back({axis, sizes.of(axis)});
  for (std::size_t a = 0; a < kGridAxes; ++a) {
    const auto axis = static_cast<GridAxis>(a);
    if (sizes.of(axis) != 1 && std::ranges::find(axes, axis) == axes.end()) {
      throw InputError("", "order",
                       fmt::format("{} is {} but missing in the order '{}'", to_text(axis),
                                   sizes.of(axis), order),
                       "list every axis that is larger than 1");
    }
  }
  return RankGrid(std::move(dimensions));
}

int RankGrid::size(GridAxis axis) const {
  int size = 1;
  for (const GridDimension& d : dimensions_) size *= d.axis == axis ? d.size : 1;
  return size;
}

int RankGrid::coordinate(JobRank rank, GridAxis axis) const {
  std::size_t rest = rank.index();
  int coordinate = 0, stride = 1;
  for (const GridDimension& d : dimensions_) {
    const auto size = static_cast<std::size_t>(d.size);
    if (d.axis == axis) {
      coordinate += stride * static_cast<int>(rest % size);
      stride *= d.size;
    }
    rest /= size;
  }
  return coordinate;
}

RankGroups RankGrid::groups(std::initializer_list<GridAxis> axes) const {
  // members: offsets of the members of a group from its first rank; firsts: the first ranks.
  std::vector<std::size_t> members{0}, firsts{0};
  std::size_t stride = 1;
  for (const GridDimension& d : dimensions_) {
    const bool varies = std::ranges::find(axes, d.axis) != axes.end();
    std::vector<std::size_t>& grown = varies ? members : firsts;
    const std::size_t before = grown.size();
    for (int c = 1; c < d.size; ++c) {
      for (std::size_t i = 0; i < before; ++i)
        grown.push_back(grown[i] + static_cast<std::size_t>(c) * stride);
    }
    stride *= static_cast<std::size_t>(d.size);
  }
  std::vector<JobRank> ranks;
  ranks.reserve(size_);
  for (const std::size_t first : firsts) {
    for (const std::size_t offset : members) ranks.emplace_back(first + offset);
  }
  return {std::move(ranks), members.size()};
}

std::vector<JobRank> RankGrid::ranks_in(std::span<const GridDimension> layout) const {
  std::array<int, kGridAxes> sizes{1, 1, 1, 1, 1};
  for (const GridDimension& d : layout) sizes[static_cast<std::size_t>(d.axis)] *= d.size;
  // part[axis][c]: how much coordinate c of the axis adds to the rank.
  std::array<std::vector<std::size_t>, kGridAxes> part;
  for (std::size_t a = 0; a < kGridAxes; ++a) {
    const auto axis = static_cast<GridAxis>(a);
    if (sizes[a] != size(axis)) {
      throw InputError(
          "", std::string(to_text(axis)),
          fmt::format("the layout has {} where the grid has {}", sizes[a], size(axis)));
    }
    part[a] = {0};
    std::size_t stride = 1;
    for (const GridDimension& d : dimensions_) {
      const std::size_t before = part[a].size();
      for (int c = 1; d.axis == axis && c < d.size; ++c) {
        for (std::size_t i = 0; i < before; ++i)
          part[a].push_back(part[a][i] + static_cast<std::size_t>(c) * stride);
      }
      stride *= static_cast<std::size_t>(d.size);
    }
  }
  std::vector<JobRank> order;
  order.reserve(size_);
  order.emplace_back(std::size_t{0});
  std::array<std::size_t, kGridAxes> done{1, 1, 1, 1, 1};
  for (const GridDimension& d : layout) {
    const auto a = static_cast<std::size_t>(d.axis);
    const std::size_t before = order.size();
    for (int c = 1; c < d.size; ++c) {
      const std::size_t added = part[a][static_cast<std::size_t>(c) * done[a]];
      for (std::size_t i = 0; i < before; ++i) order.emplace_back(order[i].index() + added);
    }
    done[a] *= static_cast<std::size_t>(d.size);
  }
  return order;
}

}  // namespace railyard::placement

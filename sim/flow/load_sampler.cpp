#include "sim/flow/load_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sim/link_report.hpp"

namespace railyard::sim {
namespace {

/// Limit on the number of link reads for a trace (about a second of run time). Then sampling stops.
constexpr std::size_t kMaximumReads = 200'000'000;

}  // namespace

LoadSampler::LoadSampler(const topology::Cluster& cluster, bool enabled) {
  if (!enabled || cluster.link_count() == 0) return;
  samples_left_ = kMaximumReads / cluster.link_count();
  for (std::size_t i = 0; i < cluster.link_count(); ++i) {
    const auto tier = tier_of(cluster, LinkId(i));
    auto row =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.tier == tier; });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), {std::string(tier), 0});
    row_of_link_.push_back(static_cast<std::size_t>(row - rows_.begin()));
  }
}

void LoadSampler::sample(const Fluid& fluid) {
  if (samples_left_ == 0 || fluid.now() <= last_) return;
  --samples_left_;
  std::vector<double> carried(rows_.size(), 0.0);
  for (std::size_t i = 0; i < row_of_link_.size(); ++i)
    carried[row_of_link_[i]] += fluid.carried(LinkId(i));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto bytes = static_cast<std::int64_t>(std::llround(carried[r] - rows_[r].carried));
    rows_[r].carried = carried[r];
    events_.push_back({std::string(kLoadTrack) + rows_[r].tier, "", Time::from_seconds(last_),
                       Time::from_seconds(fluid.now()), Bytes(bytes)});
  }
  last_ = fluid.now();
}

void LoadSampler::append_to(std::vector<collectives::TimelineEvent>& timeline) {
  timeline.insert(timeline.end(), std::make_move_iterator(events_.begin()),
                  std::make_move_iterator(events_.end()));
}

}  // namespace railyard::sim

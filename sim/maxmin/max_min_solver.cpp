#include "sim/maxmin/max_min_solver.hpp"

#include <algorithm>
#include <limits>

#include "sim/maxmin/local_solve.hpp"

namespace railyard::sim {

namespace {
// A local repair reads each affected stream about four times as often as a dense solve
// (certificate, expansion). Above this fraction of the streams, 1/kLocalPart, a dense solve is
// faster (results/flow_engine.md).
constexpr std::size_t kLocalPart = 8;
constexpr std::size_t kAlwaysLocal = 64;
// Rates within this relative rounding error of the slowest ended stream count as equal to it.
constexpr double kRounding = 1e-9;
}  // namespace

MaxMinSolver::MaxMinSolver(FlowTable& table)
    : table_(table), filling_(table), is_eased_(table.link_count(), 0) {
  forget_changes();
}

void MaxMinSolver::forget_changes() {
  for (const LinkIndex link : eased_) is_eased_[link] = 0;
  eased_.clear();
  tightened_.clear();
  slowest_released_ = std::numeric_limits<double>::infinity();
  only_releases_ = true;
}

void MaxMinSolver::release(Slot slot) {
  if (is_eased_.size() < table_.link_count()) is_eased_.resize(table_.link_count(), 0);
  SlotState& state = table_.state[slot];
  if (state.bottleneck != kNoLink) --table_.held[state.bottleneck];
  state.bottleneck = kNoLink;
  slowest_released_ = std::min(slowest_released_, state.rate);
  const auto links = table_.links(slot);
  const double* const weights = table_.weights(slot);
  for (std::size_t i = 0; i < links.size(); ++i) {
    table_.load[links[i]] -= (weights != nullptr ? weights[i] : 1.0) * state.rate;
    if (is_eased_[links[i]] == 0) {
      is_eased_[links[i]] = 1;
      eased_.push_back(links[i]);
    }
  }
  state.rate = 0;
  dirty_ = true;
}

void MaxMinSolver::release_all() {
  std::fill(table_.load.begin(), table_.load.end(), 0.0);
  std::fill(table_.held.begin(), table_.held.end(), 0U);
  dirty_ = true;
}

void MaxMinSolver::capacity_changed(LinkIndex link, double before) {
  only_releases_ = false;
  dirty_ = true;
  if (table_.capacity[link] < before) {
    tightened_.push_back(link);
  } else if (is_eased_[link] == 0) {
    is_eased_[link] = 1;
    eased_.push_back(link);
  }
}

void MaxMinSolver::solve() {
  dirty_ = false;
  const std::size_t fresh = table_.pending().size();
  if (fresh > 0) only_releases_ = false;
  const bool all_fresh = fresh == table_.live().size();
  is_coupled_ = false;
  if (all_fresh || !try_local()) solve_dense(all_fresh);
  count_held();
  counts_.streams_filled += filling_.flows().size();
  forget_changes();
}

void MaxMinSolver::fill_from_scratch() {
  dirty_ = false;
  was_dense_ = true;
  is_coupled_ = false;
  table_.link_pending();
  for (const Slot slot : table_.live())
    table_.state[slot] = {.rate = 0, .bottleneck = kNoLink, .mark = table_.state[slot].mark};
  std::fill(table_.load.begin(), table_.load.end(), 0.0);
  std::fill(table_.held.begin(), table_.held.end(), 0U);
  filling_.begin(table_);
  filling_.add_all(table_, true);
  filling_.fill(table_);
  ++counts_.full;
  count_held();
  counts_.streams_filled += filling_.flows().size();
  forget_changes();
}

bool MaxMinSolver::try_local() {
  was_dense_ = false;
  is_coupled_ = false;
  if (skip_local_ > 0) {
    --skip_local_;
    return false;
  }
  const std::vector<Slot> fresh(table_.pending().begin(), table_.pending().end());
  table_.link_pending();
  const std::size_t budget = std::max(kAlwaysLocal, table_.live().size() / kLocalPart);
  if (!local_solve(table_, filling_, {eased_, tightened_, fresh}, budget)) {
    backoff_.fail();
    skip_local_ = backoff_.wait();
    is_coupled_ = true;
    return false;
  }
  backoff_.succeed();
  ++(filling_.flows().empty() ? counts_.unchanged : counts_.local);
  return true;
}

void MaxMinSolver::solve_dense(bool all_fresh) {
  was_dense_ = true;
  table_.link_pending();
  filling_.begin(table_);
  const double floor = only_releases_ ? slowest_released_ * (1 - kRounding) : 0.0;
  const auto live = table_.live();
  const auto above = static_cast<std::size_t>(std::count_if(
      live.begin(), live.end(), [&](Slot slot) { return table_.state[slot].rate >= floor; }));
  if (above * 5 < live.size() * 3) {  // adding streams one by one costs as much again as filling
    for (const Slot slot : live) {
      if (table_.state[slot].rate >= floor) filling_.add(table_, slot);
    }
    ++counts_.dense;
  } else {
    filling_.add_all(table_, all_fresh);
    ++counts_.full;
  }
  filling_.fill(table_);
}

void MaxMinSolver::count_held() {
  const auto flows = filling_.flows();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const LinkIndex was = filling_.before(i).bottleneck;
    const LinkIndex is = table_.state[flows[i]].bottleneck;
    if (was == is) continue;
    if (was != kNoLink) --table_.held[was];
    if (is != kNoLink) ++table_.held[is];
  }
}

}  // namespace railyard::sim

#include "placement/capacity/goodput/grey_process.hpp"

#include <algorithm>
#include <cassert>

#include "placement/capacity/goodput/repair_draw.hpp"

namespace railyard::placement {
namespace {
constexpr std::uint64_t kGreyStreams = 2'000'000;
}  // namespace

GreySource::GreySource(const std::vector<GreyProcess>& processes, std::uint64_t seed)
    : processes_(processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    assert(processes[i].slowdown >= 1);
    streams_.emplace_back(seed, kGreyStreams + i);
    const double rate = processes[i].per_second;
    begins_.push_back(rate > 0 ? streams_.back().exponential() / rate : kNever);
  }
  find_next();
}

double GreySource::next_time() const { return next_; }

std::optional<GreySource::Found> GreySource::take() {
  const auto ends = std::ranges::find(active_, next_, &Active::until);
  if (ends != active_.end()) {
    Found found{.process = ends->process};
    active_.erase(ends);
    const GreyProcess& process = processes_[found.process];
    if (process.takes_node) found.repair = RepairDraw(process.repair).draw(streams_[found.process]);
    find_next();
    return found;
  }
  const auto begins = std::ranges::find(begins_, next_);
  assert(begins != begins_.end());
  const auto which = static_cast<std::size_t>(begins - begins_.begin());
  const GreyProcess& process = processes_[which];
  core::RandomStream& random = streams_[which];
  active_.push_back({which, next_ + process.found * random.exponential()});
  *begins = next_ + random.exponential() / process.per_second;
  find_next();
  return std::nullopt;
}

void GreySource::find_next() {
  next_ = kNever;
  slowest_.reset();
  for (const double begin : begins_) next_ = std::min(next_, begin);
  for (const Active& one : active_) {
    next_ = std::min(next_, one.until);
    if (!slowest_ || processes_[one.process].slowdown > processes_[*slowest_].slowdown)
      slowest_ = one.process;
  }
}

double GreySource::speed() const { return slowest_ ? 1 / processes_[*slowest_].slowdown : 1; }

std::size_t GreySource::slowest() const { return slowest_.value(); }

}  // namespace railyard::placement

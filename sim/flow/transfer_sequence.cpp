#include "sim/flow/transfer_sequence.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::sim {

TransferSequence::TransferSequence(std::span<const collectives::Loop> loops) : loops_(loops) {
  for (const auto& loop : loops) {
    std::uint64_t body = 0;
    for (const auto& step : loop.steps) body += step.size();
    first_.push_back(size_);
    body_size_.push_back(body);
    size_ += body * loop.repeat;
  }
}

collectives::Transfer TransferSequence::operator[](std::uint64_t number) const {
  assert(number < size_);
  // Finds the last loop that begins at or before the number. Empty loops begin where the next one
  // does.
  const auto after = std::upper_bound(first_.begin(), first_.end(), number);
  const auto index = static_cast<std::size_t>(after - first_.begin()) - 1;
  const std::uint64_t iteration = (number - first_[index]) / body_size_[index];
  std::uint64_t within = (number - first_[index]) % body_size_[index];
  for (const auto& step : loops_[index].steps) {
    if (within < step.size()) return step.at(within, iteration);
    within -= step.size();
  }
  assert(false);
  return {};
}

}  // namespace railyard::sim

#pragma once

#include <map>
#include <vector>

#include "collectives/schedule/transfer.hpp"
#include "core/id.hpp"

namespace railyard::collectives {

/// Assigns participant numbers to switches that reduce. The numbers follow those of the ranks, in
/// the order of first use.
class Reducers {
 public:
  explicit Reducers(std::uint32_t ranks) : ranks_(ranks) {}
  [[nodiscard]] Participant participant(DeviceId device) {
    const auto [entry, is_new] =
        numbers_.try_emplace(device, static_cast<Participant>(ranks_ + devices_.size()));
    if (is_new) devices_.push_back(device);
    return entry->second;
  }
  [[nodiscard]] const std::vector<DeviceId>& devices() const { return devices_; }

 private:
  std::uint32_t ranks_;
  std::map<DeviceId, Participant> numbers_;
  std::vector<DeviceId> devices_;
};

}  // namespace railyard::collectives

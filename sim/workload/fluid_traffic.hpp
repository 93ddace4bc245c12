#pragma once

#include <span>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "sim/workload/fold.hpp"
#include "sim/workload/load_traffic.hpp"

namespace railyard::sim {

/// Loads as streams of a fluid network (FoldedNetwork). After its latency, a load is a stream of
/// its bytes on each link, at most as fast as alone. Concurrent streams have max-min fair rates.
class FluidTraffic final : public LoadTraffic {
 public:
  /// Both must outlive it. `profiles` by load.
  FluidTraffic(const FoldedNetwork& network, std::span<const IsolatedTime> profiles)
      : network_(network), profiles_(profiles), fluid_(network.capacities) {}

  [[nodiscard]] bool shares_links(std::uint32_t load) const override {
    return !network_.flows[load].hops.empty();
  }
  [[nodiscard]] Time before_start(std::uint32_t load, float rate_share) const override;
  void start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) override;
  [[nodiscard]] bool is_idle() const override { return fluid_.active() == 0; }
  [[nodiscard]] std::span<const std::uint32_t> advance(Time until) override;
  [[nodiscard]] Time now() const override { return Time::from_seconds(fluid_.now()); }
  [[nodiscard]] std::string describe() const override { return to_text(fluid_.counts()); }

 private:
  const FoldedNetwork& network_;
  std::span<const IsolatedTime> profiles_;
  Fluid fluid_;
  std::vector<std::uint32_t> meeting_of_stream_;
  std::vector<std::uint32_t> ended_;
};

}  // namespace railyard::sim

#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet::testing {

using namespace railyard::literals;

/// Hosts on one switch. Packets are 4096 + 82 = 4178 bytes: 83,560 ps at 400 Gb/s. Every cable has
/// 1 us each way.
class Star final : Deliveries {
 public:
  static constexpr std::int64_t kPacket = 4178, kPayload = 4096;
  static constexpr std::int64_t kTime = 83'560;  ///< of a packet at 400 Gb/s, ps
  static constexpr std::int64_t kLatency = 1'000'000;

  static Parameters store_and_forward() {
    Parameters parameters;
    parameters.switches.cut_through = false;
    parameters.congestion = Congestion::none;
    return parameters;
  }

  /// What differs from the packets and cables above.
  struct Sizes {
    Bytes payload{kPayload}, overhead{kPacket - kPayload};
    Time latency = Time::picoseconds(kLatency);
    std::optional<Bandwidth> last_receives{};  ///< rate from the switch to the last host
  };

  explicit Star(const std::vector<Bandwidth>& rates, Parameters parameters = store_and_forward(),
                std::uint64_t seed = 1)
      : Star(rates, std::move(parameters), seed, Sizes{}) {}
  Star(const std::vector<Bandwidth>& rates, Parameters parameters, std::uint64_t seed,
       const Sizes& sizes)
      : hosts_(static_cast<std::uint32_t>(rates.size())),
        engine_(network(rates, sizes), parameters, seed) {}

  /// The link from a host to the switch; the one back has the next number.
  [[nodiscard]] static std::uint32_t up(std::uint32_t host) { return 2 * host; }
  [[nodiscard]] static std::uint32_t down(std::uint32_t host) { return 2 * host + 1; }

  /// A queue pair over the only path.
  std::uint32_t connect(std::uint32_t from, std::uint32_t to, std::uint32_t traffic_class = 0) {
    const auto there =
        engine_.add_route({.links = {up(from), down(to)}, .before = {}, .behind = {}});
    const auto back =
        engine_.add_route({.links = {up(to), down(from)}, .before = {}, .behind = {}});
    return engine_.add_pair(there, 1, back, traffic_class);
  }
  /// A queue pair by which a host reads from another one; messages posted to it are reads.
  std::uint32_t connect_reader(std::uint32_t reads, std::uint32_t from) {
    const std::uint32_t data = connect(from, reads);
    const auto there =
        engine_.add_route({.links = {up(reads), down(from)}, .before = {}, .behind = {}});
    const auto back =
        engine_.add_route({.links = {up(from), down(reads)}, .before = {}, .behind = {}});
    return engine_.add_reader(data, there, back);
  }
  /// Posts a message with its number among those posted as tag.
  void send(std::uint32_t pair, Bytes bytes, Time at = {}) {
    engine_.post(pair, at, bytes, static_cast<std::uint32_t>(posted_.size()));
    posted_.push_back(at);
  }
  void run() { engine_.run(*this); }

  Engine& engine() { return engine_; }
  /// ps at which a message was complete.
  [[nodiscard]] std::int64_t done(std::uint32_t tag) const { return done_.at(tag).picoseconds(); }
  [[nodiscard]] std::size_t deliveries() const { return done_.size(); }
  [[nodiscard]] const std::vector<Time>& posted() const { return posted_; }

 private:
  [[nodiscard]] NetworkSpec network(const std::vector<Bandwidth>& rates, const Sizes& sizes) const {
    NetworkSpec spec{.links = {}, .mtu = sizes.payload, .overhead = sizes.overhead};
    spec.devices = rates.size() + 1;
    for (std::uint32_t host = 0; host < rates.size(); ++host) {
      spec.links.push_back({.from = host,
                            .to = hosts_,
                            .rate = rates[host],
                            .latency = sizes.latency,
                            .reverse = down(host),
                            .is_sender = true});
      spec.links.push_back({.from = hosts_,
                            .to = host,
                            .rate = host + 1 < rates.size()
                                        ? rates[host]
                                        : sizes.last_receives.value_or(rates[host]),
                            .latency = sizes.latency,
                            .reverse = up(host),
                            .is_last = true});
    }
    return spec;
  }
  void delivered(std::uint32_t tag, Time at) override { done_.emplace(tag, at); }

  std::uint32_t hosts_;
  Engine engine_;
  std::vector<Time> posted_;
  std::map<std::uint32_t, Time> done_;
};

}  // namespace railyard::sim::packet::testing

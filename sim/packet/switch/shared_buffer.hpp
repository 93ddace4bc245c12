#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/packet/links/links.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// The buffer of one switch. Each input has `reserved` bytes of its own. Beyond them it uses the
/// shared buffer, up to the threshold T = alpha * (shared - used), and then its headroom:
///
///     shared = buffer - inputs * reserved - sum of headrooms
///
/// Lossless: an input is paused if its part of the shared buffer reaches T, or if it uses headroom.
/// It resumes when its headroom is empty and its part of the shared buffer is 0 or at most
/// T - resume_gap. A packet that fits neither below T nor into the headroom is lost. Lossy: there
/// is no headroom. A packet is lost if the queue of its output would exceed T or the fixed limit of
/// a queue, or if the shared buffer would overflow. With credits every packet is admitted, because
/// its sender knows that it fits.
///
/// Lossless and lossy classes of a switch share its buffer. Then inputs of both have reserved
/// bytes, and only inputs of lossless classes have headroom.
///
/// Example: 1,000,000 bytes shared, alpha 1/8, one busy input: it is paused when its part s reaches
/// (1,000,000 - s) / 8, so at 111,111 bytes.
struct SwitchState {
  std::int64_t shared = 0;
  std::int64_t used = 0;  ///< bytes of the shared buffer
  std::int64_t calm = 0;  ///< as long as `used` is less, no input can be near its threshold
  std::uint32_t paused_inputs = 0;
  /// Whether a packet is subtracted from the counts exactly when it starts. Otherwise it is
  /// subtracted later, when its port is next examined, so that the counts are never too low.
  bool is_exact = false;
};

/// The state of an input, in addition to Link::held.
struct InputState {
  std::uint32_t headroom_used = 0;
  std::uint32_t headroom = 0;
  bool is_paused = false;
  std::int64_t paused_since = 0;
};

/// Decides which packets switches admit and which inputs they pause. Links are identified by
/// number; `device` is the switch.
class SharedBuffers {
 public:
  SharedBuffers(const Links& links, std::size_t devices, const SwitchParameters& parameters,
                Bytes packet, Bytes pause_frame);

  [[nodiscard]] SwitchState& at(std::uint32_t device) { return switches_[device]; }
  [[nodiscard]] InputState& input(std::uint32_t link) { return inputs_[link]; }
  [[nodiscard]] std::int64_t threshold(const SwitchState& device, std::uint32_t lane) const {
    return static_cast<std::int64_t>(rules_[lane].alpha *
                                     static_cast<double>(device.shared - device.used));
  }
  /// The largest number of bytes in a switch with which no input reaches its threshold, even if one
  /// input holds all of them: used < alpha (shared - used).
  [[nodiscard]] std::int64_t most_without_pause(std::uint32_t device) const {
    double alpha = alpha_;
    for (const Rule& rule : rules_) alpha = std::min(alpha, rule.alpha);
    return static_cast<std::int64_t>(alpha / (1 + alpha) *
                                     static_cast<double>(switches_[device].shared));
  }
  /// Makes the counts of a switch exact (SwitchState::is_exact).
  void count_exactly(std::uint32_t device) {
    switches_[device].is_exact = true;
    switches_[device].calm = 0;
  }
  /// Whether the packet is admitted without a pause even by counts that may be too high. Exact
  /// counts would give the same decision, because they find at most as many bytes and at least as
  /// high a threshold. Switches whose queues have different rules always count exactly.
  [[nodiscard]] bool is_calm(const Link& in, const Link& out, std::uint32_t bytes) const {
    const SwitchState& device = switches_[in.to];
    const std::int64_t grows =
        is_lossless_ ? std::int64_t{in.held} + bytes - reserved_ : std::int64_t{out.queued} + bytes;
    const std::int64_t left = device.shared - device.used - bytes;
    return left > 0 && grows <= shortest_ &&
           grows < static_cast<std::int64_t>(alpha_ * static_cast<double>(left));
  }
  /// Adds a packet that arrived over `in` to the counts. Requires is_calm().
  void count_in(Link& in, std::uint32_t bytes) {
    const std::int64_t before = std::int64_t{in.held} - reserved_;
    in.held += bytes;
    switches_[in.to].used += shared_part(before + bytes) - shared_part(before);
  }
  /// Adds a packet that arrived over `in` for the output queue `out` of a lane to the counts.
  /// Returns false if it is lost.
  [[nodiscard]] bool admit(std::uint32_t in_number, Link& in, const Link& out, std::uint32_t lane,
                           std::uint32_t bytes) {
    SwitchState& device = switches_[in.to];
    const std::int64_t limit = threshold(device, lane);
    if (!rules_[lane].is_lossless)
      return admit_up_to(std::min(limit, rules_[lane].longest), in, out, bytes);
    InputState& input = inputs_[in_number];
    const std::int64_t before = std::int64_t{in.held} - input.headroom_used - reserved_;
    const std::int64_t after = before + bytes;
    if (after > 0 && after > limit) {
      if (input.headroom_used + bytes > input.headroom) return false;
      input.headroom_used += bytes;
    } else {
      device.used += shared_part(after) - shared_part(before);
    }
    in.held += bytes;
    return true;
  }
  /// Whether an input has to be paused.
  [[nodiscard]] bool must_pause(std::uint32_t in_number, const Link& in, std::uint32_t lane) const {
    const InputState& input = inputs_[in_number];
    if (!rules_[lane].is_lossless || input.is_paused) return false;
    const std::int64_t part = std::int64_t{in.held} - input.headroom_used - reserved_;
    return input.headroom_used > 0 || (part > 0 && part >= threshold(switches_[in.to], lane));
  }
  /// Subtracts a packet that arrived over `in` from the counts, first from the headroom.
  void release(std::uint32_t in_number, Link& in, std::uint32_t bytes) {
    SwitchState& device = switches_[in.to];
    std::uint32_t in_headroom = 0;
    if (device.is_exact) {
      InputState& input = inputs_[in_number];
      const std::uint32_t freed = std::min(input.headroom_used, bytes);
      input.headroom_used -= freed;
      in_headroom = input.headroom_used;
      in.held -= freed;
      bytes -= freed;
    }
    const std::int64_t before = std::int64_t{in.held} - in_headroom - reserved_;
    in.held -= bytes;
    device.used -= shared_part(before) - shared_part(before - bytes);
  }
  /// Whether a paused input may resume.
  [[nodiscard]] bool may_resume(std::uint32_t in_number, const Link& in, std::uint32_t lane) const {
    const InputState& input = inputs_[in_number];
    if (!input.is_paused || input.headroom_used > 0) return false;
    const std::int64_t part = std::int64_t{in.held} - reserved_;
    return part <= 0 || part + resume_gap_ <= threshold(switches_[in.to], lane);
  }

 private:
  [[nodiscard]] bool admit_up_to(std::int64_t limit, Link& in, const Link& out,
                                 std::uint32_t bytes) {
    const SwitchState& device = switches_[in.to];
    if (out.queued + bytes > limit || device.used + bytes > device.shared) return false;
    count_in(in, bytes);
    return true;
  }
  [[nodiscard]] static std::int64_t shared_part(std::int64_t beyond_reserved) {
    return std::max<std::int64_t>(beyond_reserved, 0);
  }

  std::vector<SwitchState> switches_;
  std::vector<InputState> inputs_;  ///< by link
  /// The rule of one queue of all ports.
  struct Rule {
    double alpha = 1;
    std::int64_t longest = 0;  ///< largest number of bytes in the queue of an output
    bool is_lossless = false;
  };
  std::array<Rule, kMostQueues> rules_;  ///< by lane
  std::int64_t reserved_;                ///< per input
  std::int64_t resume_gap_;
  // Used if all queues have the same rule.
  double alpha_;
  std::int64_t shortest_;  ///< smallest Rule::longest
  bool is_lossless_;
};

/// ECN marking at output ports. Random draws are a hash of seed, link, queue pair and packet, so
/// that they do not depend on the order of events.
class Marking {
 public:
  /// `marks_last`: links to NICs mark packets, too.
  Marking(const Links& links, const SwitchParameters& parameters, std::uint64_t seed,
          bool marks_last = true);

  /// Whether a packet is marked that leaves a queue with `queued` bytes behind it.
  [[nodiscard]] bool marks(std::uint32_t link, std::uint32_t queued, const Packet& packet) const {
    if (queued <= k_min_[link]) return false;
    return marks_above(link, queued, packet);
  }

 private:
  [[nodiscard]] bool marks_above(std::uint32_t link, std::uint32_t queued,
                                 const Packet& packet) const;

  /// The rule of one queue of all ports.
  struct Rule {
    double k_max_over_k_min = 1, p_max = 1;
  };
  std::vector<std::uint32_t> k_min_;
  std::vector<Rule> rules_;  ///< by lane
  std::uint32_t ports_;
  std::uint64_t seed_;
};

}  // namespace railyard::sim::packet

#include "sim/packet/engine/stall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {

std::vector<std::uint32_t> pause_cycle(const Links& links,
                                       std::span<const std::uint32_t> route_links) {
  // Link i waits for link o where a packet that came by i is first in the paused queue of o.
  std::vector<std::uint8_t> state(links.size(), 0);  // 1: on the way, 2: done
  std::vector<std::uint32_t> way;
  std::vector<std::vector<std::uint32_t>> waits(links.size());
  for (std::uint32_t o = 0; o < links.size(); ++o) {
    const Link& link = links[o];
    if (!link.is_paused || link.is_sender) continue;
    for (std::uint32_t n = link.next; n != link.tail; ++n) {
      const Packet& packet = link.slot(n);
      const std::uint32_t in = route_links[packet.at - 1] + packet.lane * links.ports();
      if (links[in].is_paused && (waits[in].empty() || waits[in].back() != o))
        waits[in].push_back(o);
    }
  }
  std::vector<std::size_t> tried(links.size(), 0);
  for (std::uint32_t root = 0; root < links.size(); ++root) {
    if (state[root] != 0) continue;
    way.assign(1, root);
    state[root] = 1;
    while (!way.empty()) {
      const std::uint32_t at = way.back();
      if (tried[at] == waits[at].size()) {
        state[at] = 2;
        way.pop_back();
        continue;
      }
      const std::uint32_t next = waits[at][tried[at]++];
      if (state[next] == 1) {
        way.erase(way.begin(), std::find(way.begin(), way.end(), next));
        return way;
      }
      if (state[next] == 0) {
        state[next] = 1;
        way.push_back(next);
      }
    }
  }
  return {};
}

namespace {

using MessageName = std::function<std::string(std::uint32_t tag)>;

double microseconds(std::int64_t time) { return static_cast<double>(time) / 1e6; }

/// What happened first, and how far the run has come.
std::string what_happened(const Stall& stall, const MessageName& name) {
  std::string first = fmt::format("{} messages never arrive", stall.open_messages);
  if (stall.failure) {
    const OpenMessage& failed = *stall.failure;
    first = fmt::format(
        "{} failed at {:.1f} us: its queue pair has made no progress since {:.1f} us in spite of "
        "{} retries; {} messages have not arrived",
        name(failed.tag), microseconds(failed.at), microseconds(failed.since), failed.retries,
        stall.open_messages);
  } else if (stall.waiting) {
    first += fmt::format(", first {}, posted at {:.1f} us", name(stall.waiting->tag),
                         microseconds(stall.waiting->at));
  }
  return fmt::format(
      "{}; {} of {} bytes are delivered, {} packets were lost{}", first, stall.delivered_bytes,
      stall.posted_bytes, stall.lost,
      stall.nic_lost == 0 ? "" : fmt::format(" by switches and {} by NICs", stall.nic_lost));
}

std::string_view advice(const Stall& stall) {
  if (stall.has_failed_links)
    return "let the failed link return earlier, or raise nic.retransmit_timeout";
  if (stall.nic_lost > stall.lost) return "raise nic.ingress_buffer, or limit nic.window";
  if (stall.failure && stall.lost == 0) return "raise nic.retransmit_timeout";
  return stall.is_lossless ? "raise headroom of the switches, so that no packet is lost"
                           : "raise buffer or alpha of the switches, or set lossless to true";
}

}  // namespace

void report_stall(const Stall& stall, const MessageName& message_name,
                  const std::function<std::string(std::uint32_t link)>& name) {
  constexpr std::size_t kNamed = 16;
  const std::string what = what_happened(stall, message_name);
  if (stall.cycle.empty()) throw InputError("", "--fidelity", what, std::string(advice(stall)));
  std::string names;
  for (std::size_t i = 0; i < std::min(stall.cycle.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + (name ? name(stall.cycle[i]) : std::to_string(stall.cycle[i]));
  if (stall.cycle.size() > kNamed)
    names += fmt::format(" and {} more", stall.cycle.size() - kNamed);
  const std::string_view waits = stall.has_credits ? "credits" : "pauses";
  throw InputError(
      "", "--fidelity",
      fmt::format("deadlock of {}: {}; the {} of {} links wait for each other in a cycle: {}",
                  waits, what, waits, stall.cycle.size(), names),
      stall.has_credits
          ? "choose routes that never go up again after they went down"
          : "choose routes that never go up again after they went down, or set lossless to false");
}

}  // namespace railyard::sim::packet

// Engine: NICs that pause without end, and the watchdog of pauses in switches.
#include <algorithm>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {

void Engine::plan_storms() {
  for (const Storm& storm : storms_)
    for (std::uint32_t queue = 0; queue < lanes_; ++queue) {
      if (!is_lossless(parameters_.switches, queue)) continue;
      const std::uint32_t number = storm.link + queue * links_.ports();
      const std::uint32_t domain = from_domain_[number];
      if (!is_here(domain)) continue;
      push_event(domain, {storm.from.picoseconds(), EventKind::pause, number});
      push_event(domain, {storm.until.picoseconds(), EventKind::resume, number});
    }
}

// Starts the watchdog for a pause that takes effect. NICs have no watchdog.
void Engine::watch_pause(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  if (link.is_sender != 0) return;
  if (ignores_pauses_[number] != 0) {
    link.is_paused = link.is_down != 0;
    return;
  }
  push_event(from_domain_[number], {now + parameters_.switches.watchdog->detection.picoseconds(),
                                    EventKind::watchdog, number, pauses_[number].count});
}

void Engine::watch_resume(std::uint32_t number, std::int64_t now) {
  if (ignores_pauses_[number] == 0) return;
  const WatchdogParameters& watchdog = *parameters_.switches.watchdog;
  const Time quiet = watchdog.restoration.value_or(watchdog.detection * 2);
  push_event(from_domain_[number],
             {now + quiet.picoseconds(), EventKind::watchdog, number, pauses_[number].count});
}

// Handles an event of the watchdog. `pauses` is the number of pauses of the queue when the event
// was planned. If there were more since, the queue was not paused (or not unpaused) all the time.
void Engine::look_at_pauses(std::uint32_t number, std::uint32_t pauses, std::int64_t now) {
  if (pauses_[number].count != pauses) return;
  const bool is_held = links_[number].is_held != 0;
  const bool ignores = ignores_pauses_[number] != 0;
  if (is_held && !ignores) ignore_pauses(number, now);
  if (!is_held && ignores) heed_pauses(number, now);
}

void Engine::ignore_pauses(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  ignores_pauses_[number] = 1;
  ++counters_.storms;
  if (parameters_.switches.watchdog->action == WatchdogAction::drop) {
    const std::uint64_t before = counters_.lost;
    link.is_down = (link.is_down | Link::kStopped) & 3U;
    discard(number, now);
    counters_.discarded += counters_.lost - before;
    return;
  }
  link.is_paused = link.is_down != 0;
  link.free_at = std::max(link.free_at, now);
  schedule(number, link);
  if (buffers_.at(links_.spec(number).from).is_exact) plan_start(number, link);
}

void Engine::heed_pauses(std::uint32_t number, std::int64_t now) {
  Link& link = links_[number];
  ignores_pauses_[number] = 0;
  link.is_down = link.is_down & Link::kFailed;
  link.is_paused = link.is_down != 0;
  link.free_at = std::max(link.free_at, now);
}

}  // namespace railyard::sim::packet

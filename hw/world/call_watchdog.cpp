#include "hw/world/call_watchdog.hpp"

#include <fmt/format.h>

#include <chrono>

namespace railyard::hw {

CallWatchdog::CallWatchdog(Time timeout, std::function<void(const std::string&)> fail)
    : timeout_(timeout), fail_(std::move(fail)) {
  if (timeout_ > Time()) thread_ = std::thread([this] { run(); });
}

CallWatchdog::~CallWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CallWatchdog::set(std::string call) {
  const std::lock_guard lock(mutex_);
  call_ = std::move(call);
  ++count_;
}

void CallWatchdog::run() {
  // Looks four times per timeout instead of being woken at each call: calls may be short and many.
  const std::chrono::nanoseconds nap(timeout_.picoseconds() / 4000);
  std::unique_lock lock(mutex_);
  std::uint64_t seen = 0;
  int looks = 0;
  while (!ends_) {
    changed_.wait_for(lock, nap);
    const bool same = !call_.empty() && seen == count_;
    looks = same ? looks + 1 : 0;
    seen = count_;
    if (ends_ || looks < 4) continue;
    const std::string text =
        fmt::format("{} has not returned for {}", call_, core::to_text(timeout_));
    lock.unlock();
    fail_(text);
    lock.lock();
    looks = 0;
  }
}

CallWatchdog::Guard::Guard(CallWatchdog& watchdog, std::string call) : watchdog_(watchdog) {
  watchdog_.set(std::move(call));
}
CallWatchdog::Guard::~Guard() { watchdog_.set({}); }

}  // namespace railyard::hw

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/units.hpp"

namespace railyard::hw {

/// Watches blocking calls that cannot be cancelled. If one does not return within the timeout,
/// `fail` is called on the watchdog's own thread with "CALL has not returned for ...".
class CallWatchdog {
 public:
  /// A timeout of zero: calls are not watched.
  CallWatchdog(Time timeout, std::function<void(const std::string&)> fail);
  ~CallWatchdog();
  CallWatchdog(const CallWatchdog&) = delete;
  CallWatchdog& operator=(const CallWatchdog&) = delete;

  /// Watches a call during its lifetime.
  class Guard {
   public:
    Guard(CallWatchdog& watchdog, std::string call);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    CallWatchdog& watchdog_;
  };

 private:
  void run();
  void set(std::string call);

  Time timeout_;
  std::function<void(const std::string&)> fail_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string call_;         ///< empty: no call
  std::uint64_t count_ = 0;  ///< number of changes, which distinguishes a new call from the old one
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace railyard::hw

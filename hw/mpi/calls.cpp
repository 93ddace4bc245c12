#include "hw/mpi/calls.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "core/diagnostic.hpp"

namespace railyard::hw::mpi {
namespace {

std::int64_t steady_ns() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Polls before other processes are let run: a few microseconds, the latency of a fast network.
constexpr int kEagerPolls = 64;
/// Pause between polls on a shared core: short relative to a time slice of some milliseconds.
constexpr long kSleepNs = 20'000;
/// Number of polls per reading of the clock.
constexpr int kPollsPerLook = 256;

}  // namespace

std::string Caller::text() const { return fmt::format("host {}, rank {}", host, rank); }

std::string Caller::text(int peer) const {
  const auto index = static_cast<std::size_t>(peer);
  if (index >= places.size()) return fmt::format("rank {}", peer);
  return fmt::format("rank {} (host {})", peer, places[index].host);
}

void require(int code, const Caller& caller, const std::string& call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw BackendError(fmt::format("{}: {}: {}", caller.text(), call,
                                 std::string_view(text.data(), static_cast<std::size_t>(length))));
}

int largest_tag(MPI_Comm comm, const Caller& caller) {
  void* value = nullptr;
  int is_set = 0;
  require(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &is_set), caller, "MPI_Comm_get_attr");
  // The standard promises 32767.
  return is_set != 0 ? *static_cast<int*>(value) : 32767;
}

PollingWait::PollingWait(Options options) : options_(options), last_ns_(steady_ns()) {
  // The kernel's default slack of 50 us would round every sleep up.
  if (options_.shares) prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
}

void PollingWait::progressed() {
  idle_polls_ = 0;
  last_ns_ = 0;
}

bool PollingWait::pause() {
  ++idle_polls_;
  if (last_ns_ == 0) last_ns_ = steady_ns();
  if (idle_polls_ < kEagerPolls && !options_.shares) return true;
  if (options_.shares) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kSleepNs};
    nanosleep(&pause, nullptr);
  } else {
    sched_yield();
  }
  if (options_.timeout == Time() || idle_polls_ % kPollsPerLook != 0) return true;
  return steady_ns() - last_ns_ < options_.timeout.picoseconds() / 1000;
}

void wait(MPI_Request& request, PollingWait::Options options, const Caller& caller,
          const std::string& call) {
  PollingWait polling(options);
  for (int done = 0;;) {
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), caller, call);
    if (done != 0) return;
    if (!polling.pause()) {
      throw BackendError(fmt::format("{}: {} has not returned for {}; a rank hangs or has ended",
                                     caller.text(), call, core::to_text(polling.timeout())));
    }
  }
}

}  // namespace railyard::hw::mpi

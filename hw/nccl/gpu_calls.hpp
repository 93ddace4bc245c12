#pragma once

#include <atomic>
#include <string>

#include "hw/nccl/gpu_libraries.hpp"

namespace railyard::hw::nccl {

/// Calls NCCL and CUDA for one rank. Each call is recorded while it runs, so that a timeout can
/// name the call that hangs, and a failure becomes a BackendError "host h, rank r: call: reason".
class GpuCalls {
 public:
  /// `place` is "host h1, rank 3".
  GpuCalls(const GpuLibraries& libraries, std::string place)
      : libraries_(libraries), place_(std::move(place)) {}

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const GpuLibraries& libraries() const { return libraries_; }
  /// The running call, or nullptr. May be called from any thread.
  [[nodiscard]] const char* current() const { return current_.load(std::memory_order_acquire); }

  /// nccl("ncclSend", libraries().nccl().send, ...); `name` is a literal.
  template <class Function, class... Arguments>
  void nccl(const char* name, Function function, Arguments... arguments) {
    if (const int result = noted(name, function, arguments...); result != kNcclSuccess)
      nccl_failed(name, result);
  }
  template <class Function, class... Arguments>
  void cuda(const char* name, Function function, Arguments... arguments) {
    if (const int result = noted(name, function, arguments...); result != kCudaSuccess)
      cuda_failed(name, result);
  }
  /// Returns the result, for calls whose failure is a valid answer.
  template <class Function, class... Arguments>
  int noted(const char* name, Function function, Arguments... arguments) {
    const Note note(current_, name);
    return function(arguments...);
  }

  [[noreturn]] void nccl_failed(const char* name, int result) const;
  [[noreturn]] void cuda_failed(const char* name, int result) const;
  [[noreturn]] void failed(const char* name, const std::string& reason) const;

 private:
  /// Calls nest: a wait records itself around the queries that it makes.
  struct Note {
    Note(std::atomic<const char*>& slot, const char* name)
        : slot_(slot), before_(slot.exchange(name, std::memory_order_acq_rel)) {}
    ~Note() { slot_.store(before_, std::memory_order_release); }
    std::atomic<const char*>& slot_;
    const char* before_;
  };

  const GpuLibraries& libraries_;
  std::string place_;
  std::atomic<const char*> current_{nullptr};
};

}  // namespace railyard::hw::nccl

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "hw/nccl/gpu_rank.hpp"

namespace railyard::hw::nccl {

/// A watched thread for each rank of this process. Calls into NCCL may never return if a peer hangs
/// or ends. After a failure the communicators are aborted. If threads still do not return, nothing
/// can be cleaned up, and `fail` is called, which ends the process.
class RankThreads {
 public:
  /// `timeout` applies to each work; zero: no limit. `fail` reports its argument and does not
  /// return; if it is empty (tests), BackendError is thrown and the threads are abandoned.
  RankThreads(std::vector<std::unique_ptr<GpuRank>> ranks, Time timeout,
              std::function<void(const std::string&)> fail = {});
  /// Closes the ranks, unless something failed.
  ~RankThreads();
  RankThreads(const RankThreads&) = delete;
  RankThreads& operator=(const RankThreads&) = delete;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const GpuRank& rank(std::size_t i) const;
  /// Whether work has failed, so that threads may still be running.
  [[nodiscard]] bool is_broken() const;
  /// Runs work(rank, i) on every rank's thread at the same time. Throws the first exception of a
  /// thread, or BackendError with host, rank and the call that hangs. `work` is copied. It must
  /// own, or share, everything that it refers to, because a hung thread may use it later.
  void each(std::function<void(GpuRank&, std::size_t)> work);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace railyard::hw::nccl

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "hw/nccl/gpu_rank.hpp"

namespace railyard::hw::nccl {

/// A thread for each rank of this process, watched: calls into NCCL may never come back when a peer
/// hangs or dies. After a failure the communicators are aborted; where threads still do not come
/// back nothing can be cleaned up, and `fail` is called, which ends the process.
class RankThreads {
 public:
  /// `timeout` holds for each work; zero: for ever. `fail` says what it is given and does not
  /// return; where it is empty (tests), BackendError is thrown and the threads are left behind.
  RankThreads(std::vector<std::unique_ptr<GpuRank>> ranks, Time timeout,
              std::function<void(const std::string&)> fail = {});
  /// Closes the ranks, unless something failed.
  ~RankThreads();
  RankThreads(const RankThreads&) = delete;
  RankThreads& operator=(const RankThreads&) = delete;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const GpuRank& rank(std::size_t i) const;
  /// Whether work failed, and threads may have been left behind.
  [[nodiscard]] bool is_broken() const;
  /// Does work(rank, i) on every rank's thread at the same time. Throws what the first one threw,
  /// or BackendError naming host, rank and the call that hangs. `work` is copied: it must own, or
  /// share, what it refers to, for a hung thread may use it after this has thrown.
  void each(std::function<void(GpuRank&, std::size_t)> work);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace railyard::hw::nccl

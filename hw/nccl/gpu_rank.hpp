#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hw/live_backend.hpp"
#include "hw/nccl/gpu_calls.hpp"
#include "hw/nccl/gpu_memory.hpp"
#include "hw/nccl/native_collective.hpp"
#include "hw/nccl/rank_program.hpp"
#include "hw/nccl/reduction_kernels.hpp"

namespace railyard::hw::nccl {

/// Host, rank and device of a GPU rank.
struct GpuPlace {
  std::string host;
  std::uint32_t rank = 0, ranks = 1;
  int device = 0;
};

/// One rank: its device, stream and communicator, and the prepared task. Except place(), current()
/// and abort(), all calls must come from one thread, because CUDA's current device belongs to a
/// thread.
class GpuRank {
 public:
  GpuRank(const GpuLibraries& libraries, GpuPlace place, const GpuOptions& options);
  ~GpuRank();
  GpuRank(const GpuRank&) = delete;
  GpuRank& operator=(const GpuRank&) = delete;

  /// Selects the device. Throws BackendError if it does not exist.
  void open();
  /// Joins the communicator. Throws BackendError.
  void connect(const UniqueId& id);
  void close();

  void prepare(const LiveTask& task);
  void forget();  ///< the prepared task
  void reset() { memory_->reset(); }
  void restore() { memory_->restore(); }
  /// Runs the task `times` times. Returns the span by `world`'s clock, or the duration by events.
  [[nodiscard]] Span run(int times, const World& world);
  [[nodiscard]] CheckResult check() { return memory_->check(); }

  [[nodiscard]] const GpuPlace& place() const { return place_; }
  /// Compute capability and PCI address: "sm_90 0000:1b:00.0".
  [[nodiscard]] const std::string& device_text() const { return device_text_; }
  /// The running call, or nullptr. May be called from any thread.
  [[nodiscard]] const char* current() const { return calls_.current(); }
  /// Aborts the communicator, so that calls that wait in it return. May be called from any thread.
  void abort();

 private:
  /// Throws BackendError after abort().
  [[nodiscard]] Comm comm() const;
  void enqueue();
  void enqueue_round(const Round& round);
  void capture();
  void launch();

  GpuCalls calls_;
  GpuPlace place_;
  GpuOptions options_;
  std::string device_text_;
  int compute_capability_ = 0;
  Stream stream_ = nullptr;
  Event begin_ = nullptr, end_ = nullptr;
  std::atomic<Comm> comm_{nullptr};
  std::optional<NativeCollective> native_;
  RankProgram program_;
  std::unique_ptr<GpuMemory> memory_;
  std::unique_ptr<ReductionKernel> kernel_;
  GraphExec graph_ = nullptr;
};

}  // namespace railyard::hw::nccl

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/local/block_memory.hpp"
#include "hw/local/test_values.hpp"
#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// Kind of a rank's GPU memory.
struct GpuMemoryOptions {
  Comm comm = nullptr;
  Stream stream = nullptr;
  bool registered = false;       ///< allocated by ncclMemAlloc and registered with the
                                 ///< communicator
  bool separate_inputs = false;  ///< the rank's input is stored outside the arena
  std::uint64_t seed = 1;
  double tolerance = 0;  ///< largest allowed difference of floats; 0: bit by bit
};

/// Memory of one rank on its GPU with known values, with the rules of BlockMemory. All calls run on
/// the stream and wait for it, unless stated otherwise.
class GpuMemory {
 public:
  /// Throws BackendError if memory is insufficient (with the requested size), or registration
  /// fails.
  GpuMemory(GpuCalls& calls, BlockPlan plan, const GpuMemoryOptions& options);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return arena_; }
  [[nodiscard]] const BlockPlan& plan() const { return plan_; }
  void reset();
  void restore();
  /// Enqueues copies of separate inputs to their positions; does not wait.
  void bring();
  [[nodiscard]] CheckResult check();

 private:
  [[nodiscard]] std::byte* allocated(std::uint64_t bytes);
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes);
  /// Fills a block with a table by repeated doubling.
  void repeat(std::byte* to, std::span<const std::byte> table, std::uint64_t first);
  void check_block(const BlockPlace& place, std::span<const std::byte> table, CheckResult& result);
  void wait();
  [[nodiscard]] std::uint64_t first_element(std::uint64_t block) const;

  GpuCalls& calls_;
  BlockPlan plan_;
  GpuMemoryOptions options_;
  TestValues values_;
  std::size_t element_;
  std::uint64_t period_;
  std::byte* arena_ = nullptr;
  std::byte* inputs_ = nullptr;
  void* registration_ = nullptr;
  std::vector<std::byte> host_;  ///< for results before the comparison
};

/// Waits until all work on a stream is done. Meanwhile checks the communicator (may be nullptr) for
/// errors. Throws BackendError.
void wait_for_stream(GpuCalls& calls, Stream stream, Comm comm);

}  // namespace railyard::hw::nccl

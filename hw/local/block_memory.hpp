#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/check_result.hpp"
#include "hw/local/program.hpp"
#include "hw/local/test_values.hpp"

namespace railyard::hw {

/// Positions of blocks in one arena of memory, before and after a collective.
struct BlockPlan {
  collectives::Collective collective;
  std::uint32_t ranks = 0;
  std::uint64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::vector<BlockPlace> before, after;  ///< blocks of the ranks that have this memory
  std::uint64_t arena_bytes = 0;
};

[[nodiscard]] BlockPlan plan_of(const collectives::Schedule& schedule, const Program& program);

/// A range of a block, and the repeated table of values that it must hold.
struct CheckedRange {
  collectives::DataType type{};
  std::span<const std::byte> got{}, table{};
  std::uint64_t first = 0;   ///< index in the table of the first element of the range
  std::uint64_t offset = 0;  ///< offset of the range in its block, in bytes
  double tolerance = 0;      ///< allowed difference of floats; 0: none, bit by bit
};

/// Compares a range of a block with its table. `first_wrong` names rank, block, byte offset and
/// both values.
[[nodiscard]] CheckResult check_range(const BlockPlace& place, const CheckedRange& range);

/// Memory of ranks, with known values in it.
class BlockMemory {
 public:
  /// `separate_inputs`: inputs of ranks are stored outside the arena, and bring() copies them
  /// there. Throws BackendError if this machine has less memory available.
  BlockMemory(BlockPlan plan, std::uint64_t seed, bool separate_inputs = false);

  [[nodiscard]] std::byte* data() { return bytes_.get(); }
  [[nodiscard]] const BlockPlan& plan() const { return plan_; }
  /// Writes the inputs of the ranks; all other memory is filled with 0xA5.
  void reset();
  /// Writes the inputs of the ranks, and leaves all other memory unchanged.
  void restore();
  /// Copies separate inputs to their positions in the arena. Does nothing if they are there
  /// already.
  void bring();
  /// Compares the results of the ranks with the expected values, bit by bit.
  [[nodiscard]] CheckResult check() const;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Memory = std::unique_ptr<std::byte[], Free>;
  [[nodiscard]] static Memory allocated(const BlockPlan& plan, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t first_element(std::uint64_t block) const;

  BlockPlan plan_;
  TestValues values_;
  std::size_t element_;
  std::uint64_t period_;  ///< elements of a table of values
  Memory bytes_;
  Memory inputs_;  ///< the blocks of plan.before, one after another; empty if they are in bytes_
};

}  // namespace railyard::hw

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule.hpp"
#include "hw/local_program.hpp"
#include "hw/test_values.hpp"

namespace railyard::hw {

/// What a check of the results found.
struct CheckResult {
  std::int64_t wrong = 0;   ///< elements, over all ranks
  std::string first_wrong;  ///< "rank 3, offset 128: expected 5, got 7"; empty if none is
};

/// The memory of a compiled schedule, with known values in it.
class LocalMemory {
 public:
  /// Throws BackendError if this machine has less memory available.
  LocalMemory(const collectives::Schedule& schedule, const LocalProgram& program,
              std::uint64_t seed);

  [[nodiscard]] std::byte* data() { return bytes_.get(); }
  /// Writes what the ranks bring; everything else is filled with 0xA5.
  void reset();
  /// Writes what the ranks bring, and leaves the rest.
  void restore();
  /// Compares what the ranks have with what they must have, bit by bit.
  [[nodiscard]] CheckResult check() const;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  [[nodiscard]] std::span<std::byte> at(const BlockPlace& place) const;
  [[nodiscard]] std::uint64_t first_element(std::uint64_t block) const;

  const collectives::Schedule& schedule_;
  const LocalProgram& program_;
  TestValues values_;
  std::size_t element_;
  std::size_t block_bytes_;
  std::uint64_t period_;  ///< elements of a table of values
  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace railyard::hw

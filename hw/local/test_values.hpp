#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace railyard::hw {

/// Inputs and expected results of a checked run. All types hold the values exactly in any order of
/// reduction, so results are compared bit by bit.
///
/// Element i (counted over all blocks) of a position depends on i modulo kPeriod, a prime, so a
/// piece at a wrong position is detected. Sums of floats stay within the integers that the type's
/// fraction holds; products of floats have the factors 1, 2 and 1/2, most of which are 1; integers
/// wrap, except those of 8 bits, which stay in their range. An average is the exact sum (of
/// integers with wrapping) divided once.
class TestValues {
 public:
  /// The largest prime below 2^16.
  static constexpr std::uint64_t kPeriod = 65521;

  TestValues(collectives::DataType type, collectives::ReduceOp op, std::uint32_t ranks,
             std::uint64_t seed);

  /// The first `count` (at most kPeriod) elements of a position, as bytes of the type.
  [[nodiscard]] std::vector<std::byte> of(std::uint32_t position, std::uint64_t count) const;
  /// The reduction of all positions' elements. Computed in 64 bits, not with hw/reduction.
  [[nodiscard]] std::vector<std::byte> reduced(std::uint64_t count) const;

 private:
  collectives::DataType type_;
  collectives::ReduceOp op_;
  std::uint32_t ranks_;
  std::uint64_t seed_;
};

/// Writes `table` (whole elements, repeated) over `to`, beginning with element `first` of the
/// table.
void fill(std::span<std::byte> to, std::span<const std::byte> table, std::uint64_t first,
          std::size_t element);

/// A byte range compared with a repeated table.
struct Comparison {
  std::int64_t wrong = 0;         ///< elements that differ
  std::uint64_t first_wrong = 0;  ///< index of the first of them within the range
};
[[nodiscard]] Comparison compare(std::span<const std::byte> got, std::span<const std::byte> table,
                                 std::uint64_t first, std::size_t element);

/// Largest difference between an exact average of floats and one whose summands are scaled before
/// they are summed, as in NCCL: (ranks + 2) u V, with the type's unit roundoff u and the largest
/// value V. If `ranks` is a power of two, scaling and the average are exact.
[[nodiscard]] double scaling_error(collectives::DataType type, std::uint32_t ranks);

/// compare() for a float type: elements that differ by more than `tolerance` are wrong.
[[nodiscard]] Comparison compare_close(collectives::DataType type, std::span<const std::byte> got,
                                       std::span<const std::byte> table, std::uint64_t first,
                                       double tolerance);

/// An element as text ("-3", "0.5").
[[nodiscard]] std::string element_text(collectives::DataType type, const std::byte* element);

}  // namespace railyard::hw

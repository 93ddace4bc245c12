#pragma once

#include "core/flop_rate.hpp"
#include "core/units.hpp"

namespace railyard::placement {

struct Processor;
struct Product;
enum class Precision;

/// How a product is computed: at which peak, and how many bytes an element of each operand has.
struct Arithmetic {
  FlopRate peak{};
  double efficiency = 0;    ///< of the peak, in a tile whose operands are there
  double left_bytes = 2;    ///< of an element of the m x k operand
  double right_bytes = 2;   ///< of an element of the k x n operand: a weight, scales included
  double result_bytes = 2;  ///< of an element of the result
};

/// Operands of one precision, at its peak. Throws InputError for a precision that the GPU does not
/// have.
[[nodiscard]] Arithmetic arithmetic_of(const Processor& processor, Precision precision);

/// product_time by formula alone, for operands of any format.
[[nodiscard]] Time product_time(const Processor& processor, const Arithmetic& arithmetic,
                                const Product& product);

}  // namespace railyard::placement

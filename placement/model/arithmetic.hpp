#pragma once

#include "core/flop_rate.hpp"
#include "core/units.hpp"

namespace railyard::placement {

struct Processor;
struct Product;
enum class Precision;

/// Rates and element sizes with which the GPU computes one matrix product (m x k by k x n).
struct Arithmetic {
  FlopRate peak{};          ///< nominal rate of the matrix units
  double efficiency = 0;    ///< fraction of `peak` that a tile reaches once its operands are
                            ///< loaded
  double left_bytes = 2;    ///< bytes per element of the m x k operand
  double right_bytes = 2;   ///< bytes per element of the k x n operand (a weight), block scales
                            ///< included
  double result_bytes = 2;  ///< bytes per element of the m x n result
};

/// Arithmetic of a product whose two operands have the same precision. Throws InputError if the
/// GPU's config has no peak for this precision.
[[nodiscard]] Arithmetic arithmetic_of(const Processor& processor, Precision precision);

/// Time of a product by the formula of product_time (processor.hpp), without the table of measured
/// products. Operands may have any format.
[[nodiscard]] Time product_time(const Processor& processor, const Arithmetic& arithmetic,
                                const Product& product);

}  // namespace railyard::placement

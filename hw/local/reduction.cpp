#include "hw/local/reduction.hpp"

#include <cassert>
#include <cstdint>
#include <type_traits>

#include "hw/local/narrow_floats.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

template <ReduceOp Op, class T>
T combine(T a, T b) {
  if constexpr (Op == ReduceOp::min) {
    return b < a ? b : a;
  } else if constexpr (Op == ReduceOp::max) {
    return a < b ? b : a;
  } else if constexpr (std::is_integral_v<T>) {
    // Unsigned and at least as wide as int, so that wrapping around is defined.
    using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    const Wide x = static_cast<std::make_unsigned_t<T>>(a);
    const Wide y = static_cast<std::make_unsigned_t<T>>(b);
    return static_cast<T>(Op == ReduceOp::sum ? x + y : x * y);
  } else {
    return Op == ReduceOp::sum ? a + b : a * b;
  }
}

/// Narrow floats are combined in binary32 and rounded once. NCCL combines those of 8 bits in
/// binary16 (src/device/reduce_kernel.h), which gives the same values.
template <ReduceOp Op, NarrowFloat T>
T combine(T a, T b) {
  return from_float<T>(combine<Op>(to_float(a), to_float(b)));
}

template <class T, ReduceOp Op>
void reduce(std::byte* into, const std::byte* from, std::size_t count) {
  T* __restrict to = reinterpret_cast<T*>(into);
  const T* __restrict other = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) to[i] = combine<Op>(to[i], other[i]);
}

template <class T>
Reduction of(ReduceOp op) {
  switch (op) {
    case ReduceOp::avg:
    case ReduceOp::sum: return reduce<T, ReduceOp::sum>;
    case ReduceOp::prod: return reduce<T, ReduceOp::prod>;
    case ReduceOp::min: return reduce<T, ReduceOp::min>;
    case ReduceOp::max: return reduce<T, ReduceOp::max>;
  }
  assert(false);
  return nullptr;
}

}  // namespace

Reduction reduction(DataType type, ReduceOp op) {
  switch (type) {
    case DataType::int8: return of<std::int8_t>(op);
    case DataType::uint8: return of<std::uint8_t>(op);
    case DataType::int32: return of<std::int32_t>(op);
    case DataType::uint32: return of<std::uint32_t>(op);
    case DataType::int64: return of<std::int64_t>(op);
    case DataType::uint64: return of<std::uint64_t>(op);
    case DataType::float8_e4m3: return of<Float8E4M3>(op);
    case DataType::float8_e5m2: return of<Float8E5M2>(op);
    case DataType::float16: return of<Float16>(op);
    case DataType::bfloat16: return of<BFloat16>(op);
    case DataType::float32: return of<float>(op);
    case DataType::float64: return of<double>(op);
  }
  assert(false);
  return nullptr;
}

}  // namespace railyard::hw

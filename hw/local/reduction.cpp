#include "hw/local/reduction.hpp"

#include <cassert>
#include <cstdint>
#include <type_traits>

#include "hw/local/float16.hpp"

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
    const auto x = static_cast<Wide>(a);
    const auto y = static_cast<Wide>(b);
    return static_cast<T>(Op == ReduceOp::sum ? x + y : x * y);
  } else {
    return Op == ReduceOp::sum ? a + b : a * b;
  }
}

template <ReduceOp Op>
Float16 combine(Float16 a, Float16 b) {
  return to_float16(combine<Op>(to_float(a), to_float(b)));
}

template <ReduceOp Op>
BFloat16 combine(BFloat16 a, BFloat16 b) {
  return to_bfloat16(combine<Op>(to_float(a), to_float(b)));
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
    case DataType::float16: return of<Float16>(op);
    case DataType::bfloat16: return of<BFloat16>(op);
    case DataType::float32: return of<float>(op);
    case DataType::float64: return of<double>(op);
  }
  assert(false);
  return nullptr;
}

}  // namespace railyard::hw

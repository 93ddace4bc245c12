#include "hw/local/averaging.hpp"

#include <cassert>
#include <type_traits>

#include "hw/local/narrow_floats.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;

template <class T>
T divided(T value, std::uint32_t ranks) {
  if constexpr (NarrowFloat<T>) {
    return from_float<T>(to_float(value) / static_cast<float>(ranks));
  } else if constexpr (std::is_floating_point_v<T>) {
    return value / static_cast<T>(ranks);
  } else {
    // With more ranks than the type can represent, every result is 0.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(value) / static_cast<Wide>(ranks));
  }
}

template <class T>
void divide(std::byte* at, std::size_t count, std::uint32_t ranks) {
  T* values = reinterpret_cast<T*>(at);
  for (std::size_t i = 0; i < count; ++i) values[i] = divided(values[i], ranks);
}

}  // namespace

bool is_averaged(const collectives::Collective& collective) {
  return collective.op == collectives::ReduceOp::avg && is_reduction(collective.kind);
}

Averaging averaging(DataType type) {
  switch (type) {
    case DataType::int8: return divide<std::int8_t>;
    case DataType::uint8: return divide<std::uint8_t>;
    case DataType::int32: return divide<std::int32_t>;
    case DataType::uint32: return divide<std::uint32_t>;
    case DataType::int64: return divide<std::int64_t>;
    case DataType::uint64: return divide<std::uint64_t>;
    case DataType::float8_e4m3: return divide<Float8E4M3>;
    case DataType::float8_e5m2: return divide<Float8E5M2>;
    case DataType::float16: return divide<Float16>;
    case DataType::bfloat16: return divide<BFloat16>;
    case DataType::float32: return divide<float>;
    case DataType::float64: return divide<double>;
  }
  assert(false);
  return nullptr;
}

void average(std::byte* arena, std::span<const BlockPlace> after, std::uint64_t block_bytes,
             DataType type, std::uint32_t ranks) {
  const auto count = block_bytes / static_cast<std::uint64_t>(size_of(type).count());
  for (const BlockPlace& place : after) averaging(type)(arena + place.offset, count, ranks);
}

}  // namespace railyard::hw

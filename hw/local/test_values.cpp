#include "hw/local/test_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "hw/local/narrow_floats.hpp"

namespace railyard::hw {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

/// splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The largest n for which a float type represents all integers up to n: 2^(fraction bits + 1).
std::int64_t exact_integers(DataType type) {
  switch (type) {
    case DataType::float8_e4m3: return 1 << 4;
    case DataType::float8_e5m2: return 1 << 3;
    case DataType::float16: return 1 << 11;
    case DataType::bfloat16: return 1 << 8;
    case DataType::float32: return 1 << 24;
    default: return std::int64_t{1} << 53;
  }
}

/// Largest magnitude of floats that are summed.
constexpr std::int64_t kLargestSummand = 15;

struct Draw {
  DataType type;
  ReduceOp op;
  std::uint32_t ranks;
  std::uint32_t position;
  std::uint64_t index;
  std::uint64_t hash;
};

/// Whether the position is one of at most `most` that contribute more than the neutral element.
bool is_chosen(const Draw& draw, std::int64_t most) {
  const auto limit = static_cast<std::uint64_t>(most);
  const std::uint64_t stride = (draw.ranks + limit - 1) / limit;
  return (draw.position + draw.index) % stride == 0;
}

/// 8-bit values whose results stay in range, because on overflow some MPI libraries saturate (Open
/// MPI 4.1 with AVX) while NCCL wraps.
template <class Wide>
Wide small_integer(const Draw& draw) {
  constexpr bool kSigned = std::is_signed_v<Wide>;
  constexpr std::int64_t kLimit = kSigned ? 127 : 255;
  const bool negative = kSigned && (draw.hash >> 32) % 2 != 0;
  // 3^4 = 81 is within 127.
  if (draw.op == ReduceOp::prod) {
    const Wide value = is_chosen(draw, 4) ? 3 : 1;
    return negative ? Wide{0} - value : value;
  }
  const bool sums = draw.op == ReduceOp::sum || draw.op == ReduceOp::avg;
  if (sums && !is_chosen(draw, kLimit)) return 0;
  const std::int64_t largest =
      sums ? std::clamp<std::int64_t>(kLimit / draw.ranks, 1, kLimit) : kLimit;
  const auto value = static_cast<Wide>(draw.hash % static_cast<std::uint64_t>(largest) + 1);
  return negative ? Wide{0} - value : value;
}

template <class Wide>
Wide integer(const Draw& draw) {
  if (size_of(draw.type) == Bytes(1)) return small_integer<Wide>(draw);
  constexpr Wide kOdd = std::is_signed_v<Wide> ? static_cast<Wide>(-3) : Wide{1};
  constexpr Wide kMiddle = std::is_signed_v<Wide> ? Wide{125} : Wide{0};
  if (draw.op == ReduceOp::prod) return static_cast<Wide>(draw.hash % 4) * 2 + kOdd;
  return static_cast<Wide>(draw.hash % 251) - kMiddle;
}

double real(const Draw& draw) {
  const bool negative = (draw.hash >> 32) % 2 != 0;
  if (draw.op == ReduceOp::sum || draw.op == ReduceOp::avg) {
    const std::int64_t limit = exact_integers(draw.type);
    if (!is_chosen(draw, limit)) return 0;
    const auto largest = std::clamp<std::int64_t>(limit / draw.ranks, 1, kLargestSummand);
    const auto value =
        1 + static_cast<std::int64_t>(draw.hash % static_cast<std::uint64_t>(largest));
    return static_cast<double>(negative ? -value : value);
  }
  if (draw.op == ReduceOp::prod) {
    // float16 and E5M2 are normal from 2^-14 on, so 14 factors of 1/2 in a row are still exact;
    // E4M3 from 2^-6.
    const std::int64_t factors = draw.type == DataType::float8_e4m3 ? 6 : 14;
    const double magnitude = !is_chosen(draw, factors) ? 1 : draw.hash % 2 != 0 ? 2 : 0.5;
    return negative ? -magnitude : magnitude;
  }
  return static_cast<double>(draw.hash % 256) - 128;
}

template <class Wide>
Wide wide_value(const Draw& draw) {
  if constexpr (std::is_same_v<Wide, double>)
    return real(draw);
  else
    return integer<Wide>(draw);
}

template <class Wide>
Wide wide_combined(ReduceOp op, Wide a, Wide b) {
  if (op == ReduceOp::min) return std::min(a, b);
  if (op == ReduceOp::max) return std::max(a, b);
  if constexpr (std::is_same_v<Wide, double>) {
    return op == ReduceOp::prod ? a * b : a + b;
  } else {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<Wide>(op == ReduceOp::prod ? x * y : x + y);
  }
}

template <class T, class Wide>
T narrowed(Wide value) {
  if constexpr (NarrowFloat<T>)
    return from_float<T>(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// A sum as the type holds it, divided by the number of ranks; integers round towards zero.
template <class T, class Wide>
Wide averaged(Wide sum, std::uint32_t ranks) {
  if constexpr (std::is_same_v<Wide, double>)
    return sum / ranks;
  else
    return static_cast<Wide>(static_cast<T>(sum)) / static_cast<Wide>(ranks);
}

/// Calls visit(T{}, Wide{}) for the C++ type of a data type and the type that holds its results.
template <class Visit>
auto with_type(DataType type, Visit visit) {
  switch (type) {
    case DataType::int8: return visit(std::int8_t{}, std::int64_t{});
    case DataType::uint8: return visit(std::uint8_t{}, std::uint64_t{});
    case DataType::int32: return visit(std::int32_t{}, std::int64_t{});
    case DataType::uint32: return visit(std::uint32_t{}, std::uint64_t{});
    case DataType::int64: return visit(std::int64_t{}, std::int64_t{});
    case DataType::uint64: return visit(std::uint64_t{}, std::uint64_t{});
    case DataType::float8_e4m3: return visit(Float8E4M3{}, double{});
    case DataType::float8_e5m2: return visit(Float8E5M2{}, double{});
    case DataType::float16: return visit(Float16{}, double{});
    case DataType::bfloat16: return visit(BFloat16{}, double{});
    case DataType::float32: return visit(float{}, double{});
    case DataType::float64: break;
  }
  return visit(double{}, double{});
}

}  // namespace

TestValues::TestValues(DataType type, ReduceOp op, std::uint32_t ranks, std::uint64_t seed)
    : type_(type), op_(op), ranks_(ranks), seed_(seed) {}

std::vector<std::byte> TestValues::of(std::uint32_t position, std::uint64_t count) const {
  assert(count <= kPeriod);
  return with_type(type_, [&]<class T, class Wide>(T, Wide) {
    std::vector<std::byte> bytes(count * sizeof(T));
    const std::uint64_t stream = mixed(seed_ ^ (std::uint64_t{position} << 32));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Draw draw{type_, op_, ranks_, position, i, mixed(stream + i)};
      const T value = narrowed<T>(wide_value<Wide>(draw));
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  });
}

std::vector<std::byte> TestValues::reduced(std::uint64_t count) const {
  assert(count <= kPeriod);
  return with_type(type_, [&]<class T, class Wide>(T, Wide) {
    std::vector<Wide> sums(count);
    for (std::uint32_t position = 0; position < ranks_; ++position) {
      const std::uint64_t stream = mixed(seed_ ^ (std::uint64_t{position} << 32));
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = wide_value<Wide>({type_, op_, ranks_, position, i, mixed(stream + i)});
        sums[i] = position == 0 ? value : wide_combined(op_, sums[i], value);
      }
    }
    std::vector<std::byte> bytes(count * sizeof(T));
    for (std::uint64_t i = 0; i < count; ++i) {
      const Wide sum = op_ == ReduceOp::avg ? averaged<T>(sums[i], ranks_) : sums[i];
      const T value = narrowed<T>(sum);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  });
}

void fill(std::span<std::byte> to, std::span<const std::byte> table, std::uint64_t first,
          std::size_t element) {
  std::size_t from = first * element % table.size();
  while (!to.empty()) {
    const std::size_t length = std::min(to.size(), table.size() - from);
    std::memcpy(to.data(), table.data() + from, length);
    to = to.subspan(length);
    from = 0;
  }
}

Comparison compare(std::span<const std::byte> got, std::span<const std::byte> table,
                   std::uint64_t first, std::size_t element) {
  Comparison result;
  std::size_t from = first * element % table.size();
  for (std::size_t done = 0; done < got.size();) {
    const std::size_t length = std::min(got.size() - done, table.size() - from);
    if (std::memcmp(got.data() + done, table.data() + from, length) != 0) {
      for (std::size_t i = 0; i < length; i += element) {
        if (std::memcmp(got.data() + done + i, table.data() + from + i, element) == 0) continue;
        if (result.wrong++ == 0) result.first_wrong = (done + i) / element;
      }
    }
    done += length;
    from = 0;
  }
  return result;
}

double scaling_error(DataType type, std::uint32_t ranks) {
  // Unit roundoff: half of the distance from 1 to the next number of the type.
  const double unit = 1.0 / static_cast<double>(exact_integers(type));
  // Each of `ranks` scaled values and partial sums is rounded once, and so is 1/ranks.
  return (ranks + 2) * unit * kLargestSummand;
}

Comparison compare_close(DataType type, std::span<const std::byte> got,
                         std::span<const std::byte> table, std::uint64_t first, double tolerance) {
  return with_type(type, [&]<class T, class Wide>(T, Wide) {
    const auto value = [](const std::byte* at) {
      T element;
      std::memcpy(&element, at, sizeof(T));
      if constexpr (NarrowFloat<T>)
        return static_cast<double>(to_float(element));
      else
        return static_cast<double>(element);
    };
    Comparison result;
    const std::uint64_t period = table.size() / sizeof(T);
    for (std::uint64_t i = 0; i < got.size() / sizeof(T); ++i) {
      const double wanted = value(table.data() + (first + i) % period * sizeof(T));
      const double difference = std::abs(value(got.data() + i * sizeof(T)) - wanted);
      // A NaN is not close to anything.
      if (difference <= tolerance) continue;
      if (result.wrong++ == 0) result.first_wrong = i;
    }
    return result;
  });
}

std::string element_text(DataType type, const std::byte* element) {
  return with_type(type, [&]<class T, class Wide>(T value, Wide) {
    std::memcpy(&value, element, sizeof(T));
    if constexpr (NarrowFloat<T>) {
      return fmt::format("{}", to_float(value));
    } else {
      return fmt::format("{}", value);
    }
  });
}

}  // namespace railyard::hw

#include "placement/model/product_times.hpp"

#include <bit>
#include <cstdint>

namespace railyard::placement {

std::size_t ProductTimes::Hash::operator()(const Key& key) const {
  const Product& p = key.product;
  auto hash = static_cast<std::size_t>(key.precision) * 2 + (p.aligned ? 1 : 0);
  for (const double value : {p.m, p.n, p.k, p.batch, p.result_bytes})
    hash = std::rotl(hash, 29) * 0x9E3779B97F4A7C15 + std::bit_cast<std::uint64_t>(value + 0.0);
  // Small integers differ only in the upper bits of a double, but the hash table uses the lower
  // bits.
  return hash ^ (hash >> 32);
}

Time ProductTimes::time(Precision precision, const Product& product) {
  const auto [found, is_new] = known_.try_emplace(Key{precision, product});
  if (is_new) found->second = product_time(processor_, precision, product);
  return found->second;
}

}  // namespace railyard::placement

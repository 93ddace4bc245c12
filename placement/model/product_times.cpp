#include "placement/model/product_times.hpp"

#include <functional>

namespace railyard::placement {

std::size_t ProductTimes::Hash::operator()(const Key& key) const {
  const Product& p = key.product;
  auto hash = static_cast<std::size_t>(key.precision) * 2 + (p.aligned ? 1 : 0);
  for (const double value : {p.m, p.n, p.k, p.batch, p.result_bytes})
    hash = hash * 0x9E3779B97F4A7C15 + std::hash<double>()(value);
  return hash;
}

Time ProductTimes::time(Precision precision, const Product& product) {
  const auto [found, is_new] = known_.try_emplace(Key{precision, product});
  if (is_new) found->second = product_time(processor_, precision, product);
  return found->second;
}

}  // namespace railyard::placement

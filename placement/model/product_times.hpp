#pragma once

#include <cstddef>
#include <unordered_map>

#include "placement/model/processor.hpp"

namespace railyard::placement {

/// Remembers what product_time said: a search asks for the same shapes again and again.
class ProductTimes {
 public:
  /// `processor` must outlive it.
  explicit ProductTimes(const Processor& processor) : processor_(processor) {}
  [[nodiscard]] Time time(Precision precision, const Product& product);

 private:
  struct Key {
    Precision precision{};
    Product product{};
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  const Processor& processor_;
  std::unordered_map<Key, Time, Hash> known_;  ///< looked up alone, never walked
};

}  // namespace railyard::placement

#pragma once

#include <cstddef>
#include <unordered_map>

#include "placement/model/processor.hpp"

namespace railyard::placement {

/// Cache of product_time for one processor: a search needs the same shapes many times.
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
  std::unordered_map<Key, Time, Hash> known_;  ///< only looked up, never iterated: its order is
                                               ///< not deterministic
};

}  // namespace railyard::placement

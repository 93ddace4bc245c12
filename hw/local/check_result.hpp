#pragma once

#include <cstdint>
#include <string>

namespace railyard::hw {

/// What a check of the results found.
struct CheckResult {
  std::int64_t wrong = 0;  ///< elements, over all ranks that were checked
  std::string
      first_wrong;  ///< "rank 3, block 0, byte offset 128: expected 5, got 7"; "" if none is

  /// Adds what another check found; `first_wrong` remains that of the first check that has one.
  CheckResult& operator+=(const CheckResult& other) {
    wrong += other.wrong;
    if (first_wrong.empty()) first_wrong = other.first_wrong;
    return *this;
  }
};

}  // namespace railyard::hw

#pragma once

#include <cstdint>
#include <string>

namespace railyard::hw {

/// The result of comparing data with expected values.
struct CheckResult {
  std::int64_t wrong = 0;  ///< wrong elements, over all checked ranks
  std::string
      first_wrong;  ///< "rank 3, block 0, byte offset 128: expected 5, got 7"; "" if none is

  /// Adds the result of another check; `first_wrong` stays that of the first check with an error.
  CheckResult& operator+=(const CheckResult& other) {
    wrong += other.wrong;
    if (first_wrong.empty()) first_wrong = other.first_wrong;
    return *this;
  }
};

}  // namespace railyard::hw

#pragma once

#include <cstdint>
#include <string>

namespace railyard::hw {

/// What a check of the results found.
struct CheckResult {
  std::int64_t wrong = 0;  ///< elements, over all ranks that were checked
  std::string
      first_wrong;  ///< "rank 3, block 0, byte offset 128: expected 5, got 7"; "" if none is
};

}  // namespace railyard::hw

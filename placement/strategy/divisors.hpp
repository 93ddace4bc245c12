#pragma once

#include <vector>

namespace railyard::placement {

/// What divides `whole`, ascending, up to `most`.
[[nodiscard]] std::vector<int> divisors(int whole, int most);

}  // namespace railyard::placement

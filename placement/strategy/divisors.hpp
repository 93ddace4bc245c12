#pragma once

#include <vector>

namespace railyard::placement {

/// The divisors of `whole` up to `most`, ascending.
[[nodiscard]] std::vector<int> divisors(int whole, int most);

}  // namespace railyard::placement

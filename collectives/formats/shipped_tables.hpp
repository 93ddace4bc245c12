#pragma once

#include <string>
#include <vector>

namespace railyard::collectives {

/// The measured tables that ship: the .jsonc and .csv files of configs/validation/measured, by
/// name. Of several config folders the first that has some. Throws InputError at "FILE" if there
/// are none.
[[nodiscard]] std::vector<std::string> shipped_tables();

}  // namespace railyard::collectives

#pragma once

#include <cstdint>
#include <string>

namespace railyard::core {

/// "8", "4K", "512M", "1G" where exact, else the number of bytes, as nccl-tests writes sizes.
[[nodiscard]] std::string size_text(std::int64_t bytes);

}  // namespace railyard::core

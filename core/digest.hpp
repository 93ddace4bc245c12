#pragma once

#include <string>
#include <string_view>

namespace railyard::core {

/// 64-bit FNV-1a of a text as 16 hexadecimal digits: tells in a result's provenance whether two
/// runs read the same file. Not cryptographic.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace railyard::core

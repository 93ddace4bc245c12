#include "core/digest.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace railyard::core {

std::string digest(std::string_view text) {
  // Offset basis and prime: draft-eastlake-fnv, section 5 (64 bits).
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace railyard::core

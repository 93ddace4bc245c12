#include "core/digest.hpp"

#include <fmt/format.h>

namespace railyard::core {

std::string digest(std::string_view text) {
  Fnv1a hash;
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
  return fmt::format("{:016x}", hash.value());
}

}  // namespace railyard::core

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace railyard::core {

/// 64-bit FNV-1a over numbers: a key of what they describe. Not cryptographic. Offset basis and
/// prime: draft-eastlake-fnv, section 5 (64 bits).
class Fnv1a {
 public:
  void add(std::uint64_t number) { value_ = (value_ ^ number) * 0x100000001b3; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The same of a text, byte by byte, as 16 hexadecimal digits: tells in a result's provenance
/// whether two runs read the same file.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace railyard::core

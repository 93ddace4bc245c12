#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace railyard::core {

/// 64-bit FNV-1a hash of a sequence of numbers. Not cryptographic. Source of offset basis and
/// prime: draft-eastlake-fnv, section 5 (64 bits).
class Fnv1a {
 public:
  void add(std::uint64_t number) { value_ = (value_ ^ number) * 0x100000001b3; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// FNV-1a of the bytes of a text, as 16 hexadecimal digits. The provenance of a result contains the
/// digests of its input files, so that two runs can be compared.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace railyard::core

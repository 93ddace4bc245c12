#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Numbers texts in the order in which they first come up.
class NameTable {
 public:
  [[nodiscard]] std::uint32_t id(std::string_view name);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;  ///< looked up only
};

/// Writes a program operation by operation.
class ProgramBuilder {
 public:
  /// `names` must outlive it.
  explicit ProgramBuilder(NameTable& names) : names_(&names) {}

  /// The number of a stream, which is added where it is new.
  [[nodiscard]] std::uint16_t stream(std::string_view name);
  /// Adds an operation behind the ends of others; its index. kNothing among them is left out.
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  std::uint32_t add(std::string_view name, Operation operation,
                    std::initializer_list<std::uint32_t> after = {});
  std::uint32_t add(std::string_view name, Operation operation, std::span<const Dependency> after);

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(program_.operations.size());
  }
  [[nodiscard]] Program take() { return std::move(program_); }

 private:
  NameTable* names_;
  Program program_;
};

}  // namespace railyard::collectives

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

/// Assigns consecutive numbers to texts in order of first use.
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

/// Builds a program operation by operation.
class ProgramBuilder {
 public:
  /// `names` must outlive it.
  explicit ProgramBuilder(NameTable& names) : names_(&names) {}

  /// The index of a stream. Adds a new stream.
  [[nodiscard]] std::uint16_t stream(std::string_view name);
  /// Adds an operation that begins after the ends of `after`, and returns its index. kNothing in
  /// `after` is ignored.
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

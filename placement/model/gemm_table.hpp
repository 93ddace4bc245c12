#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>

#include "core/units.hpp"

namespace railyard::placement {

/// Measured times of matrix products (m x k by k x n) by shape, for one GPU and one precision.
class GemmTable {
 public:
  /// Reads CSV with the columns m, n, k and ms (milliseconds) in any order; "#" begins a comment.
  /// Throws InputError that names the line.
  [[nodiscard]] static GemmTable read(const std::string& file);

  [[nodiscard]] bool empty() const { return times_.empty(); }
  [[nodiscard]] std::size_t size() const { return times_.size(); }
  /// The measured time of exactly this shape.
  [[nodiscard]] std::optional<Time> find(std::int64_t m, std::int64_t n, std::int64_t k) const;

  struct Shape {
    std::int64_t m = 0, n = 0, k = 0;
    auto operator<=>(const Shape&) const = default;
  };
  [[nodiscard]] const std::map<Shape, Time>& times() const { return times_; }

 private:
  std::map<Shape, Time> times_;
};

}  // namespace railyard::placement

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"

namespace railyard::apps {

/// Prints a table row by row, while the rows are computed. The first row determines which columns
/// are in the heading, which are omitted, and the widths (at least 12 characters).
class TableStream {
 public:
  explicit TableStream(std::ostream& out) : out_(out) {}
  /// Prints the first row of a table; the first call also prints the headings. All tables have the
  /// same columns.
  void add(const RowTable& row);
  /// Whether the stream is this process's standard output and a terminal.
  [[nodiscard]] bool is_on_terminal() const;
  [[nodiscard]] bool is_empty() const { return columns_.empty(); }

 private:
  struct Printed {
    std::size_t column = 0;
    std::size_t width = 0;
    bool right = false;
  };
  std::ostream& out_;
  std::vector<Printed> columns_;
};

}  // namespace railyard::apps

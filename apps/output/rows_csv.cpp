#include <fmt/format.h>

#include <ostream>

#include "apps/output/rows.hpp"

namespace railyard::apps {
namespace {

/// Quoted if RFC 4180 requires it.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string text_of(const RowValue& value) {
  return std::visit(
      []<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>)
          return "";
        else if constexpr (std::is_same_v<T, std::string>)
          return field(held);
        else
          return fmt::format("{}", held);
      },
      value);
}

}  // namespace

void write_csv(const RowTable& table, std::ostream& out) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out << (i == 0 ? "" : ",") << table.columns[i].name;
  }
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out << (i == 0 ? "" : ",") << text_of(row[i]);
    out << '\n';
  }
}

}  // namespace railyard::apps

#pragma once

#include <initializer_list>
#include <string_view>

#include "apps/output/rows.hpp"

namespace railyard::apps {

/// An empty table with these columns, without styles.
[[nodiscard]] RowTable table_of(std::initializer_list<std::string_view> columns);

/// Appends the columns of another table with the same number of rows.
void add_columns(const RowTable& more, RowTable& table);

/// The table's columns with these names, in this order; missing names are skipped.
[[nodiscard]] RowTable columns_of(const RowTable& table,
                                  std::initializer_list<std::string_view> names);

}  // namespace railyard::apps

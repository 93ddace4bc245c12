#pragma once

#include <initializer_list>
#include <string_view>

#include "apps/output/rows.hpp"

namespace railyard::apps {

/// A table of columns without a style and no rows yet.
[[nodiscard]] RowTable table_of(std::initializer_list<std::string_view> columns);

/// Adds the columns of another table with as many rows behind those of `table`.
void add_columns(const RowTable& more, RowTable& table);

/// The columns of these names, in this order; names that the table lacks are left out.
[[nodiscard]] RowTable columns_of(const RowTable& table,
                                  std::initializer_list<std::string_view> names);

}  // namespace railyard::apps

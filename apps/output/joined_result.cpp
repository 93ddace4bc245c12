#include "apps/output/joined_result.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace railyard::apps {
namespace {

template <class T>
void add_new(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& one : from)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

/// Appends rows; a column that either table lacks is empty there.
void append(const RowTable& from, RowTable& to, std::int64_t first_row) {
  std::vector<std::size_t> at;
  for (const Heading& heading : from.columns) {
    const auto known = std::ranges::find(to.columns, heading.name, &Heading::name);
    at.push_back(static_cast<std::size_t>(known - to.columns.begin()));
    if (known == to.columns.end()) to.columns.push_back(heading);
  }
  for (auto& row : to.rows) row.resize(to.columns.size());
  for (const auto& row : from.rows) {
    auto& values = to.rows.emplace_back(to.columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      values[at[i]] = row[i];
      // The row of the result that a row of a section belongs to.
      if (from.columns[i].name != "row") continue;
      if (auto* number = std::get_if<std::int64_t>(&values[at[i]])) *number += first_row;
    }
  }
}

}  // namespace

void JoinedResult::add(const ResultDocument& one) {
  const auto first_row = static_cast<std::int64_t>(all_.rows.rows.size());
  Provenance& all = all_.provenance;
  if (first_row == 0) {
    all_.kind = one.kind;
    all.facts = one.provenance.facts;
    all.seed = one.provenance.seed;
  }
  // What is said of all results.
  std::erase_if(all.facts, [&](const auto& fact) {
    return std::ranges::find(one.provenance.facts, fact) == one.provenance.facts.end();
  });
  add_new(one.provenance.configs, all.configs);
  add_new(one.provenance.notes, all.notes);
  append(one.rows, all_.rows, 0);
  for (const Section& section : one.sections) {
    auto known = std::ranges::find(all_.sections, section.name, &Section::name);
    if (known == all_.sections.end())
      known = all_.sections.insert(known, {section.name, {}, section.is_printed});
    append(section.table, known->table, first_row);
  }
}

}  // namespace railyard::apps

#pragma once

#include <string>
#include <utility>

#include "apps/output/rows.hpp"

namespace railyard::apps {

/// Several results of one kind as one: all rows and sections, whose columns `row` refer to the
/// joined rows; the facts that all results share; the configs and notes of any of them.
class JoinedResult {
 public:
  explicit JoinedResult(std::string command) { all_.provenance.command = std::move(command); }

  void add(const ResultDocument& one);
  [[nodiscard]] const ResultDocument& document() const { return all_; }

 private:
  ResultDocument all_;
};

}  // namespace railyard::apps

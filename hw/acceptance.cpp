#include "hw/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/size_text.hpp"

namespace railyard::hw {
namespace {

using collectives::Measurement;

/// Measured over predicted time.
double ratio(const Measurement& row) {
  return row.live->p50.seconds() / row.live->predicted->seconds();
}

/// The failed rows of one collective, by size.
struct Failures {
  std::string collective{};
  std::size_t rows = 0;
  std::vector<const Measurement*> failed{};
};

std::vector<Failures> failures_of(std::span<const Measurement> rows,
                                  std::span<const AcceptanceCheck> checks) {
  std::vector<Failures> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto found = std::ranges::find(all, rows[i].collective, &Failures::collective);
    if (found == all.end()) {
      all.push_back({.collective = rows[i].collective});
      found = all.end() - 1;
    }
    ++found->rows;
    if (!checks[i].is_accepted) found->failed.push_back(&rows[i]);
  }
  std::erase_if(all, [](const Failures& one) { return one.failed.empty(); });
  return all;
}

std::string sentence(const Failures& of) {
  const Measurement& worst =
      **std::ranges::max_element(of.failed, {}, [](const Measurement* row) { return ratio(*row); });
  std::string text = fmt::format(
      "{}: {} of {} measurements fail; {} takes {:.2f} us, {:.2f} times the predicted {:.2f} us",
      of.collective, of.failed.size(), of.rows, core::size_text(worst.bytes.count()),
      worst.live->p50.microseconds(), ratio(worst), worst.live->predicted->microseconds());
  if (!worst.bound_by.empty()) text += fmt::format(" (bound by {})", worst.bound_by);
  std::set<std::string> terms;
  for (const Measurement* row : of.failed)
    if (!row->live->error_term.empty()) terms.insert(row->live->error_term);
  if (terms.size() == 1) text += fmt::format("; the difference is in the {}", *terms.begin());
  const bool is_wrong =
      std::ranges::any_of(of.failed, [](const Measurement* row) { return row->live->wrong != 0; });
  return text + (is_wrong ? "; results have wrong elements." : ".");
}

}  // namespace

std::vector<AcceptanceCheck> check_acceptance(std::span<const Measurement> rows,
                                              const Tolerance& tolerance) {
  std::vector<AcceptanceCheck> checks;
  checks.reserve(rows.size());
  for (const Measurement& row : rows) {
    const Time limit =
        Time::from_seconds(row.live->predicted->seconds() * (1 + std::max(0.0, tolerance(row))));
    checks.push_back(
        {.limit = limit, .is_accepted = row.live->p50 <= limit && row.live->wrong == 0});
  }
  return checks;
}

std::vector<std::string> acceptance_answers(std::span<const Measurement> rows,
                                            std::span<const AcceptanceCheck> checks,
                                            const std::string& cluster) {
  if (rows.empty()) return {"Not accepted: nothing was measured."};
  const std::vector<Failures> failures = failures_of(rows, checks);
  if (failures.empty()) {
    const Measurement& slowest = *std::ranges::max_element(rows, {}, ratio);
    return {fmt::format(
        "Accepted: all {} measurements are within the limits for {}. The slowest, {} of {}, takes "
        "{:.2f} times the predicted time.",
        rows.size(), cluster, slowest.collective, core::size_text(slowest.bytes.count()),
        ratio(slowest))};
  }
  const auto failed =
      static_cast<std::size_t>(std::ranges::count(checks, false, &AcceptanceCheck::is_accepted));
  std::vector<std::string> answers{
      fmt::format("Not accepted: {} of {} measurements exceed the limits for {}, or are wrong.",
                  failed, rows.size(), cluster)};
  for (const Failures& one : failures) answers.push_back(sentence(one));
  answers.emplace_back(
      "Next: 'railyard bench --matrix' finds slow pairs of ranks; 'railyard diagnose' finds the "
      "component that tests of pairs of nodes have in common.");
  return answers;
}

}  // namespace railyard::hw

#include "apps/sweep/point_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "apps/cli/command_line.hpp"
#include "apps/cli/config_kinds.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/rows.hpp"
#include "core/diagnostic.hpp"
#include "core/version.hpp"

namespace railyard::apps {
namespace {

using core::sweep::Outcome;

void check_copy(std::string_view kind, const core::ConfigNode& copy) {
  for (const ConfigKind& known : config_kinds())
    if (known.folder == kind) known.check(copy);
}

core::sweep::Table table_of(const ResultDocument& document,
                            const core::sweep::ChangedConfigs& configs) {
  core::sweep::Table table{
      .kind = std::string(document.kind), .columns = {}, .rows = document.rows.rows};
  for (const Heading& heading : document.rows.columns)
    table.columns.push_back({.name = std::string(heading.name),
                             .decimals = heading.style.decimals,
                             .is_size = heading.style.is_size,
                             .joins_heading = heading.style.joins_heading});
  for (auto& row : table.rows)
    for (RowValue& value : row)
      if (auto* text = std::get_if<std::string>(&value))
        *text = configs.with_original_names(std::move(*text));
  return table;
}

/// Sorts the lines of a command's standard error into errors and notes.
void add_lines(const std::string& text, Outcome& outcome) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_error = line.starts_with("error: ");
    std::string& to = is_error ? outcome.error : outcome.notes;
    if (!to.empty()) to += '\n';
    to += is_error ? line.substr(7) : line.starts_with("note: ") ? line.substr(6) : line;
  }
}

}  // namespace

PointRunner::PointRunner(const SweepRequest& request, const Context& context)
    : request_(request),
      context_(context),
      points_(core::sweep::points_of(request.space)),
      digests_(fmt::format("{} {}", core::build().version, core::build().commit)),
      configs_(check_copy) {
  check_values();
}

void PointRunner::check_values() {
  if (points_.empty())
    throw InputError("", "--grid", "there are no points", "give a field a value");
  const auto check = [&](const std::vector<std::string>& values) {
    return parsed_flags(runnable_words(request_, values, configs_));
  };
  const std::vector<std::string> flags = check(points_.front());
  const auto is_threads = [](const std::string& word) {
    return word == "--threads" || word.starts_with("--threads=");
  };
  has_threads_ = std::ranges::any_of(flags, is_threads) &&
                 std::ranges::none_of(words_of_point(request_, points_.front()), is_threads);
  const core::sweep::Space& space = request_.space;
  for (std::size_t i = 0; i < request_.fields.size(); ++i) {
    const bool is_list = i < space.list.size();
    const core::sweep::Axis& axis = is_list ? space.list[i] : space.grid[i - space.list.size()];
    for (const std::string& value : axis.values) {
      std::vector<std::string> values = points_.front();
      if (values[i] == value) continue;
      values[i] = value;
      (void)check(values);
    }
  }
}

std::string PointRunner::digest(std::size_t point) {
  std::vector<std::string> words = words_of_point(request_, points_[point]);
  for (std::size_t i = 0; i < request_.fields.size(); ++i)
    if (!core::sweep::pointer_of(request_.fields[i]).empty())
      words.push_back(fmt::format("{}={}", request_.fields[i], points_[point][i]));
  return digests_.digest(words);
}

Outcome PointRunner::run(std::size_t point) {
  Outcome outcome;
  std::ostringstream out, err;
  const auto begin = std::chrono::steady_clock::now();
  try {
    std::vector<std::string> words = runnable_words(request_, points_[point], configs_);
    if (has_threads_) words.emplace_back("--threads=1");
    Context context{.out = out,
                    .err = err,
                    .command = "railyard" + shell_words(words),
                    .arguments = words,
                    .backends = context_.backends,
                    .take_result = [&](const ResultDocument& document) {
                      outcome.tables.push_back(table_of(document, configs_));
                    }};
    outcome.exit_code = run_command_line(words, context);
  } catch (const InputError& error) {
    outcome.exit_code = ExitCode::wrong_input;
    for (const std::string& line : core::printed_lines(error.diagnostics()))
      err << "error: " << line << '\n';
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  add_lines(configs_.with_original_names(err.str()), outcome);
  const bool has_rows = std::ranges::any_of(
      outcome.tables, [](const core::sweep::Table& table) { return !table.rows.empty(); });
  if (outcome.exit_code <= ExitCode::finding && !has_rows) {
    outcome.exit_code = ExitCode::wrong_input;
    if (outcome.error.empty()) outcome.error = "the command wrote no rows";
  }
  if (outcome.exit_code > ExitCode::finding) outcome.tables.clear();
  return outcome;
}

}  // namespace railyard::apps

#include "apps/sim/sim_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <string_view>

#include "apps/cli/interruptible.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/rows.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using Words = std::vector<std::string>;

/// Flags that have a column in the rows.
constexpr std::array<std::string_view, 8> kListed{"--nodes",     "--gpus",     "--collective",
                                                  "--algorithm", "--channels", "--fidelity",
                                                  "--routing",   "--qps"};
/// Flags whose file describes a single run.
constexpr std::array<std::string_view, 4> kSingle{"--trace", "--flows", "--queues", "--pauses"};

/// Position of a flag's value in the words: "--nodes 1,2" or "--nodes=1,2".
struct Place {
  std::size_t word = 0;
  std::size_t from = 0;  ///< first letter of the value
};

std::optional<Place> find_value(const Words& words, std::string_view flag) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) return Place{i + 1, 0};
    if (words[i].starts_with(flag) && words[i].size() > flag.size() && words[i][flag.size()] == '=')
      return Place{i, flag.size() + 1};
  }
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, std::string_view flag) {
  std::vector<std::string> values;
  while (true) {
    const std::size_t comma = text.find(',');
    values.emplace_back(text.substr(0, comma));
    if (values.back().empty())
      throw InputError("", std::string(flag), "the list has an empty value", "1,2,4");
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

/// Removes a flag with its value. Returns the value; "" if the flag is not given.
std::string take_value(Words& words, std::string_view flag) {
  const auto place = find_value(words, flag);
  if (!place) return "";
  std::string value = words[place->word].substr(place->from);
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(place->word) + 1;
  words.erase(place->from == 0 ? end - 2 : end - 1, end);
  return value;
}

template <class T>
void add_new(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& one : from)
    if (std::ranges::find(to, one) == to.end()) to.push_back(one);
}

/// Appends rows. Cells of columns that one of the tables does not have are empty.
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
      // Sections refer to result rows by number, which is shifted here.
      if (from.columns[i].name != "row") continue;
      if (auto* number = std::get_if<std::int64_t>(&values[at[i]])) *number += first_row;
    }
  }
}

/// Several results joined into one.
class Joined {
 public:
  explicit Joined(std::string command) { all_.provenance.command = std::move(command); }

  void add(const ResultDocument& one) {
    const auto first_row = static_cast<std::int64_t>(all_.rows.rows.size());
    Provenance& all = all_.provenance;
    if (first_row == 0) {
      all_.kind = one.kind;
      all.facts = one.provenance.facts;
      all.seed = one.provenance.seed;
    }
    // Only facts that are equal in all results remain.
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
  [[nodiscard]] const ResultDocument& document() const { return all_; }

 private:
  ResultDocument all_;
};

}  // namespace

std::vector<Words> command_lines_of_lists(const Words& words) {
  std::vector<Words> lines{words};
  for (const std::string_view flag : kListed) {
    const auto place = find_value(words, flag);
    if (!place) continue;
    const std::string text = words[place->word].substr(place->from);
    if (text.find(',') == std::string::npos) continue;
    std::vector<Words> longer;
    for (const Words& line : lines)
      for (const std::string& value : split(text, flag)) {
        longer.push_back(line);
        longer.back()[place->word].replace(place->from, std::string::npos, value);
      }
    lines = std::move(longer);
  }
  return lines;
}

std::optional<int> run_sim_lists(const Words& words, Context& context,
                                 int (*run)(const Words& words, Context& context)) {
  Words each = words;
  const OutputFlags output{
      .json = take_value(each, "--json"), .csv = take_value(each, "--csv"), .trace = {}};
  const std::vector<Words> lines = command_lines_of_lists(each);
  if (lines.size() == 1) return std::nullopt;
  for (const std::string_view flag : kSingle)
    if (find_value(words, flag))
      throw InputError("", std::string(flag), "supports only a single run",
                       "give one value per flag");
  check_output(output);
  Joined joined(context.command);
  std::ostringstream ignored;
  int code = ExitCode::done;
  {
    const Interruptible guard(!context.take_result);
    Progress progress(context, lines.size());
    for (std::size_t i = 0; i < lines.size() && !was_interrupted(); ++i) {
      progress.next(fmt::format("{} of {}", i + 1, lines.size()));
      Context inner{.out = ignored,
                    .err = context.err,
                    .colour = context.colour,
                    .command = "railyard" + shell_words(lines[i]),
                    .arguments = lines[i],
                    .backends = context.backends,
                    .take_result = [&](const ResultDocument& one) { joined.add(one); }};
      const int ended = run(lines[i], inner);
      if (ended > ExitCode::finding && ended != ExitCode::interrupted) return ended;
      code = std::max(code, ended);
    }
    if (was_interrupted()) code = ExitCode::interrupted;
  }
  write_result(joined.document(), output, context);
  return code;
}

}  // namespace railyard::apps

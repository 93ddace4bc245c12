#include "apps/sim/sim_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <string_view>

#include "apps/cli/flag_words.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/joined_result.hpp"
#include "apps/output/result_output.hpp"
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

}  // namespace

std::vector<Words> command_lines_of_lists(const Words& words) {
  std::vector<Words> lines{words};
  for (const std::string_view flag : kListed) {
    const std::string text = value_of_flag(words, flag);
    if (text.find(',') == std::string::npos) continue;
    const FlagPlace place = *find_flag(words, flag);
    std::vector<Words> longer;
    for (const Words& line : lines)
      for (const std::string& value : split(text, flag)) {
        longer.push_back(line);
        set_value(longer.back(), place, value);
      }
    lines = std::move(longer);
  }
  return lines;
}

std::optional<int> run_sim_lists(const Words& words, Context& context,
                                 int (*run)(const Words& words, Context& context)) {
  Words each = words;
  const OutputFlags output{
      .json = take_flag(each, "--json"), .csv = take_flag(each, "--csv"), .trace = {}};
  const std::vector<Words> lines = command_lines_of_lists(each);
  if (lines.size() == 1) return std::nullopt;
  for (const std::string_view flag : kSingle)
    if (!value_of_flag(words, flag).empty())
      throw InputError("", std::string(flag), "supports only a single run",
                       "give one value per flag");
  check_output(output);
  JoinedResult joined(context.command);
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

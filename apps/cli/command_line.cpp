#include "apps/cli/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <ostream>
#include <thread>

#include "apps/cli/build_text.hpp"
#include "apps/cli/command.hpp"
#include "core/diagnostic.hpp"
#include "hw/world/launcher.hpp"

namespace railyard::apps {
namespace {

/// The parser of the program, and the function to run for each subcommand.
struct Program {
  CLI::App app{"Predict the cost of collectives and training jobs on GPU fabrics, and explain it.",
               "railyard"};
  std::vector<std::pair<CLI::App*, RunCommand>> runs;
};

/// The command of that name, or nullptr.
const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

/// `only`: the only command to build; "": all.
void build(Program& program, std::string_view only = {}) {
  program.app.set_version_flag("-V,--version", version_text());
  program.app.set_help_flag("-h,--help", "Print this help and exit");
  program.app.require_subcommand(0, 1);
  program.app.get_formatter()->column_width(34);
  program.app.footer(
      "Exit codes: 0 done; 1 a finding (a regression, a missed threshold, nothing that fits); 2 "
      "wrong input;\n3 a backend is missing or failed; 70 internal error; 130 ended by Ctrl-C.\n"
      "'railyard COMMAND --help' and 'railyard help COMMAND' describe a command, with examples.");
  const bool is_known = find_command(only) != nullptr;
  for (const Command& command : commands()) {
    if (is_known && command.name != only) continue;
    CLI::App* app =
        program.app.add_subcommand(std::string(command.name), std::string(command.summary));
    program.runs.emplace_back(app, command.add(FlagSet(*app)));
  }
}

/// The parser of the innermost subcommand of the command line.
CLI::App& innermost(CLI::App& app) {
  CLI::App* found = &app;
  for (auto chosen = found->get_subcommands(); !chosen.empty(); chosen = found->get_subcommands()) {
    found = chosen.front();
  }
  return *found;
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) names.push_back(sub->get_name());
  return names;
}

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return core::did_you_mean(word, candidates);
}

Diagnostic unknown_flag(const std::string& argument, const CLI::App& app) {
  const std::string flag = argument.substr(0, argument.find('='));
  std::string hint = nearest(flag, option_names(app));
  if (hint.empty() && app.get_option_no_throw("command") != nullptr)
    hint = fmt::format("write the command to run and its flags after --: {} ... -- sim {} ...",
                       full_name(app), flag);
  if (hint.empty()) hint = fmt::format("see '{} --help'", full_name(app));
  return {"", flag, fmt::format("{} does not have this flag", full_name(app)), std::move(hint)};
}

Diagnostic unexpected_word(const std::string& word, const CLI::App& app) {
  const std::vector<std::string> names = subcommand_names(app);
  if (names.empty()) {
    const bool takes_cluster = app.get_option_no_throw("--cluster") != nullptr;
    return {
        "", "", fmt::format("unexpected argument '{}'", word),
        fmt::format(
            "{}see '{} --help'",
            takes_cluster ? fmt::format("if this is a cluster, write --cluster {}; ", word) : "",
            full_name(app))};
  }
  const bool is_root = app.get_parent() == nullptr;
  std::string hint = nearest(word, names);
  if (!hint.empty()) hint += "; ";
  return {"", "",
          is_root ? fmt::format("'{}' is not a command", word)
                  : fmt::format("'{}' is not a command of '{}'", word, full_name(app)),
          fmt::format("{}valid commands: {}", hint, fmt::join(names, ", "))};
}

/// The unknown words as diagnostics.
InputError unexpected(CLI::App& root) {
  CLI::App& app = innermost(root);
  std::vector<Diagnostic> problems;
  const std::vector<std::string> left = root.remaining(true);
  const bool lacks_command = !subcommand_names(app).empty();
  if (lacks_command && !left.empty() && !left.front().starts_with('-')) {
    return InputError({unexpected_word(left.front(), app)});
  }
  for (const std::string& argument : left) {
    if (argument.size() > 1 && argument.front() == '-')
      problems.push_back(unknown_flag(argument, app));
  }
  // The words after an unknown flag are most likely its values.
  if (problems.empty() && !left.empty()) problems.push_back(unexpected_word(left.front(), app));
  return InputError(std::move(problems));
}

InputError wrong_usage(const CLI::ParseError& error, CLI::App& root) {
  const std::string name = full_name(innermost(root));
  std::string text = error.what();
  if (text == "A subcommand is required")
    return InputError("", "", fmt::format("'{}' requires a command", name),
                      fmt::format("{}; see '{} --help'",
                                  fmt::join(subcommand_names(innermost(root)), ", "), name));
  // "Could not convert: --flag = text"
  constexpr std::string_view kConversion = "Could not convert: ", kIs = " = ";
  if (const std::size_t is = text.find(kIs);
      text.starts_with(kConversion) && is != std::string::npos)
    text = fmt::format("{}: '{}' is not a number",
                       text.substr(kConversion.size(), is - kConversion.size()),
                       text.substr(is + kIs.size()));
  return InputError("", "", text, fmt::format("see '{} --help'", name));
}

/// The subcommand whose flags are parsed, or nullptr.
const RunCommand* chosen(const Program& program) {
  for (const auto& [app, run] : program.runs) {
    if (app->parsed()) return &run;
  }
  return nullptr;
}

/// Errors of the command line are found before the ranks are connected. If all ranks have the
/// error, rank 0 reports it, and the launcher ends the others in the meantime. If only this rank
/// has it, it reports the error itself after two seconds.
InputError of_this_rank(InputError error, Context& context) {
  constexpr std::chrono::seconds kForRankZero{2};
  const auto launch = hw::launched();
  if (!context.is_follower || !launch) return error;
  std::this_thread::sleep_for(kForRankZero);
  for (const std::string& line : core::printed_lines(error.diagnostics()))
    print_error(context, fmt::format("rank {}: {}", launch->rank, line));
  return error;
}

/// Converts 'help COMMAND' and 'version', which other programs support, to flags.
std::vector<std::string> without_word_commands(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  } else if (arguments.size() == 1 && arguments.front() == "version") {
    arguments.front() = "--version";
  }
  return arguments;
}

int parse_and_run(const std::vector<std::string>& arguments, Context& context) {
  const std::vector<std::string> words = without_word_commands(arguments);
  if (const Command* command = words.empty() ? nullptr : find_command(words.front());
      command != nullptr && command->run_lists != nullptr) {
    if (const auto code = command->run_lists(words, context, run_command_line)) return *code;
  }
  Program program;
  // A command within another one does not need the other commands.
  const bool is_inner = static_cast<bool>(context.take_result) && !arguments.empty();
  build(program, is_inner ? std::string_view(arguments.front()) : std::string_view());
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    program.app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& app = innermost(program.app);
    const std::vector<std::string> left = program.app.remaining(true);
    if (&app == &program.app && !left.empty() && !left.front().starts_with('-'))
      throw unexpected(program.app);
    const CLI::App* parent = app.get_parent();
    context.out << app.help(parent == nullptr ? "" : full_name(*parent));
    return ExitCode::done;
  } catch (const CLI::CallForVersion&) {
    context.out << version_text() << '\n';
    return ExitCode::done;
  } catch (const CLI::ExtrasError&) {
    throw of_this_rank(unexpected(program.app), context);
  } catch (const CLI::ParseError& error) {
    // A misspelt flag is the most likely cause of a missing one.
    if (!program.app.remaining(true).empty()) throw of_this_rank(unexpected(program.app), context);
    throw of_this_rank(wrong_usage(error, program.app), context);
  }
  const RunCommand* run = chosen(program);
  if (run == nullptr) {
    context.err << program.app.help();
    return ExitCode::wrong_input;
  }
  const int code = (*run)(context);
  context.out.flush();
  if (!context.out)
    throw InputError("standard output", "", "cannot be written",
                     "is the disk full, or the file closed?");
  return code;
}

}  // namespace

std::vector<std::string> parsed_flags(const std::vector<std::string>& arguments) {
  Program program;
  build(program, arguments.empty() ? std::string_view() : std::string_view(arguments.front()));
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    program.app.parse(std::move(reversed));
  } catch (const CLI::ExtrasError&) {
    throw unexpected(program.app);
  } catch (const CLI::ParseError& error) {
    if (!program.app.remaining(true).empty()) throw unexpected(program.app);
    throw wrong_usage(error, program.app);
  }
  if (chosen(program) == nullptr) throw InputError("", "", "no command is given");
  return option_names(innermost(program.app));
}

int run_command_line(const std::vector<std::string>& arguments, Context& context) {
  try {
    return parse_and_run(arguments, context);
  } catch (const InputError& error) {
    if (!context.is_follower) {
      for (const std::string& line : core::printed_lines(error.diagnostics()))
        print_error(context, line);
    }
    return ExitCode::wrong_input;
  } catch (const BackendError& error) {
    print_error(context, error.what());
    return ExitCode::backend_missing;
  } catch (const std::bad_alloc&) {
    print_error(context, "this machine does not have enough memory for this run");
    return ExitCode::backend_missing;
  } catch (const std::exception& error) {
    print_error(context, fmt::format("internal error: {} (a bug in railyard; please report it with "
                                     "the command line and '{}')",
                                     error.what(), version_text()));
    return ExitCode::internal;
  }
}

}  // namespace railyard::apps

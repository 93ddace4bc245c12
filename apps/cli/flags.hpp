#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of CLI11
class App;
class Option;
class Validator;
}  // namespace CLI

namespace railyard::apps {

/// A rule for the value of a flag. Numbers may end in k, M, G or T (powers of 1000). --help prints
/// the rule after the type of the flag.
class ValueRule {
 public:
  explicit ValueRule(std::shared_ptr<const CLI::Validator> rule) : rule_(std::move(rule)) {}
  [[nodiscard]] const CLI::Validator& rule() const { return *rule_; }

 private:
  std::shared_ptr<const CLI::Validator> rule_;
};

/// Numbers from `least` to `most`, both included.
[[nodiscard]] ValueRule in_range(int least, int most);
[[nodiscard]] ValueRule in_range(double least, double most);
/// Whole numbers of at least `least`; --help does not print this rule.
[[nodiscard]] ValueRule at_least(int least);
[[nodiscard]] ValueRule positive_number();
[[nodiscard]] ValueRule non_negative_number();
/// Text that is not empty (as from an unset shell variable).
[[nodiscard]] ValueRule not_empty();
[[nodiscard]] ValueRule one_of(std::initializer_list<std::string_view> values);

/// A flag (or a positional argument) of a command: a handle to CLI11's option. CLI11 is included
/// by apps/cli alone, because its headers take seconds to compile in every file that uses them.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}
  Flag type_name(const std::string& name) const;
  Flag group(const std::string& name) const;  ///< its heading in --help
  Flag required() const;
  Flag check(const ValueRule& rule) const;
  Flag excludes(Flag other) const;
  Flag needs(Flag other) const;
  Flag delimiter(char separator) const;  ///< separator of list values
  Flag one_argument() const;             ///< a list is one word, split at the delimiter
  Flag take_all() const;                 ///< the flag can be repeated; all values are used
  Flag show_default() const;             ///< --help prints the current value as the default

 private:
  CLI::Option* option_;
};

/// The flags and the help of one command: a handle to CLI11's parser.
class FlagSet {
 public:
  explicit FlagSet(CLI::App& app) : app_(&app) {}
  /// An option with a value that is written to `value` when the command line is parsed. T is one of
  /// the types instantiated in flags.cpp. `value` must outlive the parser.
  template <class T>
  Flag add_option(const std::string& names, T& value, const std::string& help) const;
  /// A flag without a value.
  Flag add_flag(const std::string& names, bool& value, const std::string& help) const;
  /// The same command with a heading of --help, under which all flags added here are listed.
  [[nodiscard]] FlagSet under(std::string heading) const;
  [[nodiscard]] Flag option(const std::string& name) const;
  /// Text below the flags. A line end at its beginning is omitted, as in R"(
  /// text)".
  void footer(std::string_view text) const;
  FlagSet add_subcommand(std::string_view name, std::string_view summary) const;
  void require_subcommand() const;
  /// The parent command.
  [[nodiscard]] FlagSet parent() const;
  /// Whether this command is in the command line.
  [[nodiscard]] bool was_named() const;
  [[nodiscard]] CLI::App& parser() const { return *app_; }

 private:
  CLI::App* app_;
  std::string heading_{};  ///< "": none
};

}  // namespace railyard::apps

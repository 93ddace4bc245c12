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

/// What the value of a flag must satisfy. Numbers may end in k, M, G or T (powers of 1000). --help
/// prints it behind the flag's type.
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
/// Whole numbers from `least` on; --help does not print this rule.
[[nodiscard]] ValueRule at_least(int least);
[[nodiscard]] ValueRule positive_number();
[[nodiscard]] ValueRule non_negative_number();
/// Text that is not empty, as that of an unset variable of a shell is.
[[nodiscard]] ValueRule not_empty();
[[nodiscard]] ValueRule one_of(std::initializer_list<std::string_view> values);

/// A flag (or a positional argument) of a command: a handle to CLI11's option. CLI11 is included
/// by apps/cli alone, because its headers take seconds to compile in every file that uses them.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}
  Flag type_name(const std::string& name) const;
  Flag group(const std::string& name) const;  ///< the heading below which --help lists it
  Flag required() const;
  Flag check(const ValueRule& rule) const;
  Flag excludes(Flag other) const;
  Flag needs(Flag other) const;
  Flag delimiter(char separator) const;  ///< of the values of a list
  Flag one_argument() const;             ///< a list is one word, cut at the delimiter
  Flag take_all() const;                 ///< the flag may be repeated; every value counts
  Flag show_default() const;             ///< --help prints the value that it has now

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
  [[nodiscard]] Flag option(const std::string& name) const;
  void footer(const std::string& text) const;
  FlagSet add_subcommand(std::string_view name, std::string_view summary) const;
  void require_subcommand() const;
  /// The command that this one is a subcommand of.
  [[nodiscard]] FlagSet parent() const;
  /// Whether the command line named this command.
  [[nodiscard]] bool was_named() const;
  [[nodiscard]] CLI::App& parser() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace railyard::apps

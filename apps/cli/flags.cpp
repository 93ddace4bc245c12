#include "apps/cli/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <limits>

namespace railyard::apps {
namespace {

template <class Validator>
ValueRule rule_of(Validator validator) {
  return ValueRule(std::make_shared<const CLI::Validator>(std::move(validator)));
}

}  // namespace

ValueRule in_range(int least, int most) { return rule_of(CLI::Range(least, most)); }
ValueRule in_range(double least, double most) { return rule_of(CLI::Range(least, most)); }
ValueRule positive_number() { return rule_of(CLI::PositiveNumber); }
ValueRule non_negative_number() { return rule_of(CLI::NonNegativeNumber); }

ValueRule at_least(int least) {
  return rule_of(CLI::Validator(
      [least](const std::string& text) -> std::string {
        long long value = 0;
        // What is out of range reads as the largest number there is.
        constexpr long long kOut = std::numeric_limits<long long>::max();
        if (CLI::detail::lexical_cast(text, value) && value >= least && value < kOut) return {};
        return fmt::format("'{}' is not a whole number of at least {}", text, least);
      },
      "", ""));
}

ValueRule one_of(std::initializer_list<std::string_view> values) {
  return rule_of(CLI::IsMember(std::vector<std::string>(values.begin(), values.end())));
}

Flag Flag::type_name(const std::string& name) const { return Flag(option_->type_name(name)); }
Flag Flag::group(const std::string& name) const { return Flag(option_->group(name)); }
Flag Flag::required() const { return Flag(option_->required()); }
Flag Flag::check(const ValueRule& rule) const { return Flag(option_->check(rule.rule())); }
Flag Flag::excludes(Flag other) const { return Flag(option_->excludes(other.option_)); }
Flag Flag::needs(Flag other) const { return Flag(option_->needs(other.option_)); }
Flag Flag::delimiter(char separator) const { return Flag(option_->delimiter(separator)); }
Flag Flag::one_argument() const { return Flag(option_->allow_extra_args(false)); }
Flag Flag::take_all() const { return Flag(option_->take_all()); }
Flag Flag::show_default() const { return Flag(option_->capture_default_str()); }

template <class T>
Flag FlagSet::add_option(const std::string& names, T& value, const std::string& help) const {
  return Flag(app_->add_option(names, value, help));
}

template Flag FlagSet::add_option(const std::string&, int&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, unsigned&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, double&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::string&, const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::optional<int>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::optional<double>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::vector<std::string>&,
                                  const std::string&) const;
template Flag FlagSet::add_option(const std::string&, std::vector<double>&,
                                  const std::string&) const;

Flag FlagSet::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Flag(app_->add_flag(names, value, help));
}

Flag FlagSet::option(const std::string& name) const { return Flag(app_->get_option(name)); }
void FlagSet::footer(const std::string& text) const { app_->footer(text); }

FlagSet FlagSet::add_subcommand(std::string_view name, std::string_view summary) const {
  return FlagSet(*app_->add_subcommand(std::string(name), std::string(summary)));
}

void FlagSet::require_subcommand() const { app_->require_subcommand(1); }
FlagSet FlagSet::parent() const { return FlagSet(*app_->get_parent()); }
bool FlagSet::was_named() const { return app_->parsed(); }

}  // namespace railyard::apps

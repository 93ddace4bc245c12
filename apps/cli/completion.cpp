#include "apps/cli/completion.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace railyard::apps {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void add_flag(const CLI::Option& option, Completions& found) {
  const auto add = [&](const std::string& name) {
    found.flags.push_back(
        {.name = name,
         .help = first_line(option.get_description()),
         .takes_value = option.get_expected_max() > 0 && option.get_items_expected_max() > 0,
         .takes_file = option.get_type_name() == "FILE"});
  };
  for (const std::string& name : option.get_lnames()) add("--" + name);
  for (const std::string& name : option.get_snames()) add("-" + name);
}

void collect(const CLI::App& app, const std::string& before, std::vector<Completions>& all) {
  Completions found;
  found.command = before + app.get_name();
  for (const CLI::Option* option : app.get_options()) add_flag(*option, found);
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : subcommands) {
    found.words.push_back({sub->get_name(), first_line(sub->get_description())});
  }
  const std::string prefix = found.command + " ";
  all.push_back(std::move(found));
  for (const CLI::App* sub : subcommands) collect(*sub, prefix, all);
}

}  // namespace

std::vector<Completions> collect_completions(const CLI::App& root) {
  std::vector<Completions> all;
  collect(root, "", all);
  return all;
}

}  // namespace railyard::apps

#include "apps/cli/completion.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::apps {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The values of a flag with this name in all commands. The type distinguishes `sim --job
/// KEY=VALUE` from `place --job JOB`.
struct FlagValues {
  std::string_view flag, type;  ///< type "": any
  std::string_view values, configs;
};

constexpr std::array<FlagValues, 21> kFlagValues{
    {{"--cluster", "FILE", "", "clusters"},
     {"--cluster", "NAME,..", "", "clusters"},
     {"--predict", "", "", "clusters"},
     {"--candidates", "", "", "clusters"},
     {"--job", "JOB", "", "jobs"},
     {"--job", "NAME", "", "jobs"},
     {"--model", "", "", "models"},
     {"--failures", "", "", "failures"},
     {"--prices", "", "", "prices"},
     {"--switch", "", "", "switches"},
     {"--harness", "", "", "launch_modes"},
     {"--packet-config", "", "", "packet"},
     {"--collective", "",
      "all_reduce all_gather reduce_scatter broadcast reduce all_to_all send_recv", ""},
     {"--protocol", "", "auto ll ll128 simple", ""},
     {"--type", "",
      "int8 uint8 int32 uint32 int64 uint64 float8_e4m3 float8_e5m2 float16 bfloat16 float32 "
      "float64",
      ""},
     {"--op", "", "sum prod min max avg", ""},
     {"--routing", "", "rail ecmp balanced adaptive spray", ""},
     {"--timing", "", "fitted nominal", ""},
     {"--fidelity", "", "analytic flow packet", ""},
     {"--backend", "", "local mpi nccl", ""},
     {"--nccl", "", "2.28 2.30 2.32", ""}}};

std::string algorithm_names() {
  std::string names = "auto";
  for (const collectives::Algorithm& algorithm : collectives::algorithms())
    names += " " + std::string(algorithm.name);
  return names;
}

/// "FILE" of "FILE:PATH(existing)": CLI11 adds the rules of a value.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

void add_flag(const CLI::Option& option, Completions& found) {
  const auto add = [&](const std::string& name) {
    Completions::Flag flag{
        .name = name,
        .help = first_line(option.get_description()),
        .takes_value = option.get_expected_max() > 0 && option.get_items_expected_max() > 0,
        .takes_file = option.get_type_name() == "FILE"};
    for (const FlagValues& offer : kFlagValues)
      if (offer.flag == name && (offer.type.empty() || offer.type == type_of(option))) {
        flag.values = offer.values;
        flag.configs = offer.configs;
      }
    if (name == "--algorithm") flag.values = algorithm_names();
    found.flags.push_back(std::move(flag));
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

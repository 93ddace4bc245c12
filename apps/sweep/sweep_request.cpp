#include "apps/sweep/sweep_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/cli/command.hpp"
#include "apps/cli/flag_words.hpp"
#include "core/diagnostic.hpp"
#include "core/sweep/sweep_file.hpp"
#include "core/units.hpp"

namespace railyard::apps {
namespace {

using core::sweep::Axis;
using core::sweep::FieldChange;

void require_sweepable(const std::vector<std::string>& command) {
  if (command.empty())
    throw InputError("", "", "no command is given",
                     "write it after --: railyard sweep --grid nodes=2,4 --db out.sqlite -- sim "
                     "--cluster dgx_h100_ndr400");
  std::vector<std::string_view> names;
  std::string list;
  for (const Command& known : commands()) {
    if (!known.can_be_swept) {
      if (known.name == command.front())
        throw InputError("", "", fmt::format("'{}' cannot be swept", command.front()),
                         "it measures hardware, or its rows do not depend only on its inputs");
      continue;
    }
    if (known.name == command.front()) return;
    names.push_back(known.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", known.name);
  }
  std::string hint = core::did_you_mean(command.front(), names);
  if (!hint.empty()) hint += "; ";
  throw InputError("", "", fmt::format("'{}' is not a command", command.front()),
                   hint + "commands that can be swept: " + list);
}

void check_fields(const SweepRequest& request) {
  Diagnostics problems("");
  for (const char* output : {"json", "csv", "trace"})
    if (find_flag(request.command, fmt::format("--{}", output)))
      problems.add(fmt::format("--{}", output), "each point would write this file",
                   "leave it out: rows go to --db");
  for (const std::string& field : request.fields)
    if (core::sweep::pointer_of(field).empty() &&
        find_flag(request.command, fmt::format("--{}", field)))
      problems.add(fmt::format("--{}", field), "is given in the command and is also a swept field",
                   "give it in one of the two places");
  problems.throw_if_any();
}

void append(const std::vector<std::string>& texts, const std::string& flag,
            std::vector<Axis>& axes) {
  for (const std::string& text : texts) axes.push_back(core::sweep::parse_axis(text, flag));
}

/// Reads the sweep file; flags add axes to it.
core::sweep::SweepFile file_of(const SweepFlags& flags) {
  core::sweep::SweepFile file;
  if (!flags.file.empty()) file = core::read_config<core::sweep::SweepFile>(flags.file);
  if (!flags.file.empty() && !flags.command.empty())
    throw InputError("", "--file", "contains a command, but another one follows --",
                     "give one of them");
  if (!flags.command.empty()) file.command = flags.command;
  const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(file.set, flags.set);
  add(file.grid, flags.grid);
  add(file.list, flags.list);
  if (flags.samples) file.samples = *flags.samples;
  if (flags.seed) file.seed = *flags.seed;
  if (flags.seed && !file.samples)
    throw InputError("", "--seed", "applies to a random sample", "add --samples N");
  return file;
}

}  // namespace

SweepRequest sweep_request(const SweepFlags& flags) {
  const core::sweep::SweepFile file = file_of(flags);
  SweepRequest request{.command = file.command, .space = {}, .fields = {}, .shard = {}};
  append(file.set, "--set", request.space.grid);
  for (const Axis& axis : request.space.grid)
    if (axis.values.size() != 1)
      throw InputError("", "--set", fmt::format("{} has several values", axis.field),
                       "use --grid or --list");
  append(file.grid, "--grid", request.space.grid);
  append(file.list, "--list", request.space.list);
  if (file.samples) request.space.samples = static_cast<std::size_t>(*file.samples);
  request.space.seed = static_cast<std::uint64_t>(file.seed);
  request.fields = core::sweep::fields_of(request.space);
  if (!flags.shard.empty()) request.shard = core::sweep::parse_shard(flags.shard, "--shard");
  require_sweepable(request.command);
  check_fields(request);
  return request;
}

std::vector<std::string> words_of_point(const SweepRequest& request,
                                        const std::vector<std::string>& values) {
  std::vector<std::string> words = request.command;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& field = request.fields[i];
    if (core::sweep::pointer_of(field).empty() && !values[i].empty())
      words.push_back(fmt::format("--{}={}", field, values[i]));
  }
  return words;
}

std::vector<std::string> runnable_words(const SweepRequest& request,
                                        const std::vector<std::string>& values,
                                        core::sweep::ChangedConfigs& configs) {
  std::vector<std::string> words = words_of_point(request, values);
  std::map<std::string, std::vector<FieldChange>> changes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view pointer = core::sweep::pointer_of(request.fields[i]);
    if (pointer.empty() || values[i].empty()) continue;
    changes[std::string(core::sweep::flag_of(request.fields[i]))].push_back(
        {std::string(pointer), values[i]});
  }
  for (const auto& [flag, changed] : changes) {
    const std::string field = flag + ":" + changed.front().pointer;
    const std::string_view kind = core::sweep::kind_of_reference(flag);
    if (kind.empty())
      throw InputError("", field, fmt::format("--{} does not refer to a config file", flag),
                       "flags that do: cluster, candidates, job, model, node, prices, failures, "
                       "switch, packet-config");
    const std::string option = fmt::format("--{}", flag);
    const auto place = find_flag(words, option);
    if (!place)
      throw InputError("", field, fmt::format("the command does not contain --{}", flag),
                       fmt::format("add --set {}=NAME", flag));
    const std::string copy = configs.file(value_of_flag(words, option), kind, changed);
    if (place->has_value(words)) set_value(words, *place, copy);
  }
  return words;
}

double estimated_cost(const std::vector<std::string>& words) {
  const auto number = [&](std::string_view flag) -> double {
    const auto parsed = core::parse_count(value_of_flag(words, flag));
    return parsed.value ? static_cast<double>(std::max<std::int64_t>(*parsed.value, 1)) : 1.0;
  };
  double cost = number("--seeds") * number("--samples");
  cost *= find_flag(words, "--gpus") ? number("--gpus") / 8 : number("--nodes");
  const std::string fidelity = value_of_flag(words, "--fidelity");
  // Microseconds, milliseconds, and time per packet (docs/ARCHITECTURE.md, fidelities).
  if (fidelity != "analytic" && words.front() == "sim") cost *= 10;
  if (fidelity == "packet") {
    const auto size = core::parse_size(value_of_flag(words, "--bytes"));
    cost *= size.value ? 1 + static_cast<double>(size.value->count()) / 4096 : 1000;
  }
  return cost;
}

}  // namespace railyard::apps

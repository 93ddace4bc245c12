#include <memory>
#include <utility>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/plan/plan_commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  railyard plan train --model llama3_70b --tokens 15T --deadline 90days --budget '$40M' "
    "--candidates\n"
    "    dgx_h100_ndr400,hgx_h200_ndr400 --gpus 512..4096\n"
    "  railyard plan fabric --gpus 16384 --node dgx_h100 --switch quantum2\n"
    "  railyard plan serve --model llama3_70b --candidates dgx_h100_ndr400 --rate 50/s --input "
    "2000\n"
    "    --output 300 --ttft 500ms --tpot 40ms";

}  // namespace

RunCommand add_plan(FlagSet app) {
  const auto runs = std::make_shared<std::vector<std::pair<FlagSet, RunCommand>>>();
  for (const Command& command : plan_commands()) {
    const FlagSet sub = app.add_subcommand(command.name, command.summary);
    runs->emplace_back(sub, command.add(sub));
  }
  app.require_subcommand();
  app.footer(kExamples);
  return [runs](Context& context) {
    for (const auto& [sub, run] : *runs) {
      if (sub.was_named()) return run(context);
    }
    return static_cast<int>(ExitCode::wrong_input);
  };
}

}  // namespace railyard::apps

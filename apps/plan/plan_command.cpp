#include "apps/cli/commands.hpp"
#include "apps/cli/subcommands.hpp"
#include "apps/plan/plan_commands.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Examples:
  railyard plan train --model llama3_70b --tokens 15T --deadline 90days --budget '$40M' --candidates
    dgx_h100_ndr400,hgx_h200_ndr400 --gpus 512..4096
  railyard plan fabric --gpus 16384 --node dgx_h100 --switch quantum2
  railyard plan serve --model llama3_70b --candidates dgx_h100_ndr400 --rate 50/s --input 2000
    --output 300 --ttft 500ms --tpot 40ms)";

}  // namespace

RunCommand add_plan(FlagSet app) { return add_subcommands(app, plan_commands(), kExamples); }

}  // namespace railyard::apps

#include "apps/place/fixed_strategy.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::apps {
namespace {

/// False for arguments that are too long for a file name.
bool is_file(const std::string& text) {
  std::error_code failed;
  return std::filesystem::is_regular_file(text, failed);
}

/// Throws where the arguments describe another model than the job's.
void check_model(const placement::LaunchPlan& plan, const placement::Job& job,
                 const std::string& where) {
  const char* hint = "name the job that these arguments train";
  const int encoder = job.model.encoder ? job.model.encoder->layers : 0;
  if (plan.encoder_layers > 0 && plan.encoder_layers != encoder)
    throw InputError(where, "--encoder-num-layers",
                     encoder == 0 ? fmt::format("{} has no encoder", job.name)
                                  : fmt::format("{}, but that of {} has {}", plan.encoder_layers,
                                                job.name, encoder),
                     hint);
  if (plan.layers > 0 && plan.layers != job.model.layers)
    throw InputError(where, "--num-layers",
                     fmt::format("{}, but {} has {}", plan.layers, job.name, job.model.layers),
                     hint);
}

/// Throws where a text is no list of arguments: it is most likely a file that is not there.
void check_arguments(const std::string& given) {
  const char* hint = "a file, or the arguments themselves: '--tensor-model-parallel-size 8 ...'";
  std::error_code failed;
  if (given.find_first_not_of(" \t\n") == std::string::npos)
    throw InputError("", "--from-megatron", "is empty", hint);
  if (std::filesystem::is_directory(given, failed))
    throw InputError("", "--from-megatron", given + " is a folder", hint);
  if (given.find("--") == std::string::npos)
    throw InputError("", "--from-megatron", given + " does not exist", hint);
}

FixedStrategy read_megatron(const std::string& given, placement::PlaceProblem problem,
                            bool keeps_batch) {
  if (!is_file(given)) check_arguments(given);
  const std::string where = is_file(given) ? given : "--from-megatron";
  const auto read = placement::parse_megatron_arguments(
      is_file(given) ? core::read_text_file(given) : given, problem.gpus, where);
  const placement::LaunchPlan& plan = read.plan;
  check_model(plan, problem.job, where);
  if (plan.global_batch > 0 && !keeps_batch) problem.job.batch = plan.global_batch;
  if (plan.sequence_length > 0) problem.job.sequence = plan.sequence_length;
  if (plan.encoder_sequence > 0) problem.job.model.encoder->tokens = plan.encoder_sequence;
  FixedStrategy fixed{
      .strategy = placement::strategy_of(plan), .problem = std::move(problem), .notes = read.notes};
  if (!read.ignored.empty()) {
    std::string list;
    for (const std::string& flag : read.ignored) list += (list.empty() ? "" : ", ") + flag;
    fixed.notes.push_back(fmt::format("not about parallelism, ignored: {}", list));
  }
  return fixed;
}

FixedStrategy read_fix(const std::string& given, placement::PlaceProblem problem) {
  placement::Strategy s;
  placement::parse_strategy(given, "--fix", s);
  const std::int64_t rest = std::int64_t{s.tp} * s.pp * s.cp;
  if (given.find("dp=") == std::string::npos && problem.gpus % rest == 0)
    s.dp = static_cast<int>(problem.gpus / rest);
  return {.strategy = s, .problem = std::move(problem)};
}

}  // namespace

PartialStrategy read_partial_strategy(const GivenStrategy& given, placement::PlaceProblem problem) {
  if (!given.megatron.empty())
    return {.fixed = read_megatron(given.megatron, std::move(problem), given.keeps_batch),
            .given = {.pp = true}};
  placement::Strategy strategy;
  const auto dimensions = placement::parse_strategy(given.fix, "--fix", strategy);
  return {.fixed = {.strategy = std::move(strategy), .problem = std::move(problem)},
          .given = dimensions};
}

FixedStrategy read_fixed_strategy(const GivenStrategy& given, placement::PlaceProblem problem) {
  FixedStrategy fixed = given.megatron.empty()
                            ? read_fix(given.fix, std::move(problem))
                            : read_megatron(given.megatron, std::move(problem), given.keeps_batch);
  auto problems =
      placement::strategy_problems(fixed.problem.job, fixed.strategy, fixed.problem.gpus,
                                   given.fix.empty() ? "--from-megatron" : "--fix");
  if (!problems.empty()) throw InputError(std::move(problems));
  return fixed;
}

}  // namespace railyard::apps

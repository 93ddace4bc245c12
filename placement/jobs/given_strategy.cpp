#include "placement/jobs/given_strategy.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/job_plan.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

/// Also false if the text is too long for a file name, as arguments may be.
bool is_file(const std::string& text) {
  std::error_code failed;
  return std::filesystem::is_regular_file(text, failed);
}

/// Throws InputError if the arguments describe another model than the job's.
void check_model(const LaunchPlan& plan, const Job& job, const std::string& where) {
  const char* hint = "select the job that these arguments train";
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

/// Throws InputError if a text is not a list of arguments: it is most likely a missing file.
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

GivenProblem read_megatron(const StrategyText& text, PlaceProblem problem) {
  const std::string& given = text.megatron;
  if (!is_file(given)) check_arguments(given);
  const std::string where = is_file(given) ? given : "--from-megatron";
  const auto read = parse_megatron_arguments(is_file(given) ? core::read_text_file(given) : given,
                                             problem.gpus(), where);
  const LaunchPlan& plan = read.plan;
  check_model(plan, problem.job, where);
  if (plan.global_batch > 0 && !text.keeps_batch) problem.job.batch = plan.global_batch;
  if (plan.sequence_length > 0 && !text.keeps_sequence) problem.job.sequence = plan.sequence_length;
  if (plan.encoder_sequence > 0) problem.job.model.encoder->tokens = plan.encoder_sequence;
  GivenProblem result{
      .problem = std::move(problem),
      .strategy = GivenStrategy{.strategy = strategy_of(plan), .given = {.pp = true}},
      .notes = read.notes};
  if (!read.ignored.empty()) {
    std::string list;
    for (const std::string& flag : read.ignored) list += (list.empty() ? "" : ", ") + flag;
    result.notes.push_back(fmt::format("ignored, because not about parallelism: {}", list));
  }
  return result;
}

GivenProblem read_fix(const StrategyText& text, PlaceProblem problem) {
  GivenStrategy given;
  given.given = parse_strategy(text.fix, "--fix", given.strategy);
  Strategy& s = given.strategy;
  const std::int64_t rest = std::int64_t{s.tp} * s.pp * s.cp;
  if (!given.given.dp && problem.types.size() == 1 && s.classes.empty() &&
      problem.gpus() % rest == 0)
    s.dp = static_cast<int>(problem.gpus() / rest);
  return {.problem = std::move(problem), .strategy = std::move(given)};
}

}  // namespace

GivenProblem read_given(const StrategyText& text, PlaceProblem problem) {
  if (text.empty()) return {.problem = std::move(problem)};
  GivenProblem read = text.megatron.empty() ? read_fix(text, std::move(problem))
                                            : read_megatron(text, std::move(problem));
  const Strategy& strategy = read.strategy->strategy;
  if (read.problem.types.size() > 1 || !strategy.classes.empty()) return read;
  auto problems = strategy_problems(read.problem.job, strategy, read.problem.gpus(),
                                    text.fix.empty() ? "--from-megatron" : "--fix");
  if (!problems.empty()) throw InputError(std::move(problems));
  return read;
}

bool is_complete(const CostContext& context, const Strategy& strategy) {
  return context.types.size() == 1 && strategy.classes.empty();
}

ScoredStrategy score_given(const CostContext& context, const GivenStrategy& given) {
  if (is_complete(context, given.strategy)) return score(context, given.strategy);
  const SearchResult found = search(context, {.top = 1, .fix = given});
  if (!found.best.empty()) return found.best.front();
  if (found.nearest) return *found.nearest;
  refuse_indivisible(context, true);
}

void refuse_indivisible(const CostContext& context, bool is_given) {
  throw InputError("", is_given ? "--fix" : "--job",
                   fmt::format("no pipelines over these GPUs divide the layers and the batch of {}",
                               context.job.name),
                   "try another tp or cp, fewer stages, or another batch");
}

}  // namespace railyard::placement

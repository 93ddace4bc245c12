#include "placement/strategy/strategy_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "placement/strategy/counts.hpp"

namespace railyard::placement {
namespace {

/// A rule of valid strategies: a test that detects a violation, and its message.
struct Rule {
  bool (*broken)(const Job& job, const Strategy& s, int gpus);
  std::string (*message)(const Job& job, const Strategy& s, int gpus);
  std::string (*hint)(const Job& job, const Strategy& s, int gpus);
};

using JobRef = const Job&;
using StrategyRef = const Strategy&;

int units(const Model& m, const Strategy& s) { return m.layers + (s.even_ends ? 2 : 0); }

bool has_too_few_layers(const Model& m, const Strategy& s) {
  return s.layers.empty() && std::int64_t{s.pp - s.tower_stages} * s.interleave > units(m, s);
}

/// The smallest change that makes stages and chunks divide the layers, as text: count embedding and
/// head as layers, change the chunks, both, or also change the number of stages.
std::string dividing_stages(const Model& m, const Strategy& s) {
  const int plain = units(m, s), with_ends = m.layers + 2;
  const auto chunks = [&](int layers) {
    return fmt::format("interleave={}", nearest_divisor(layers / s.pp, s.interleave));
  };
  if (with_ends % (std::int64_t{s.pp} * s.interleave) == 0) return "even_ends=true";
  if (plain % s.pp == 0) return chunks(plain);
  if (with_ends % s.pp == 0) return "even_ends=true," + chunks(with_ends);
  const int pp = nearest_divisor(plain, s.pp);
  return fmt::format("pp={},interleave={}", pp, nearest_divisor(plain / pp, s.interleave));
}

int sum(const std::vector<int>& counts) { return std::accumulate(counts.begin(), counts.end(), 0); }

/// Layer counts of `stages` stages, as equal as possible.
std::string even_layers(int layers, int stages) {
  std::vector<int> counts;
  for (int i = 0; i < stages; ++i)
    counts.push_back(layers * (i + 1) / stages - layers * i / stages);
  return "layers=" + to_counts_text(counts);
}

// Sizes are up to a million each: their products need 64 bits.
std::int64_t ranks_of(StrategyRef s) { return std::int64_t{s.tp} * s.pp * s.cp * s.dp; }

std::int64_t batch_unit(StrategyRef s) { return std::int64_t{s.dp} * s.micro_batch; }

bool uneven_batch(JobRef j, StrategyRef s) {
  return s.classes.empty() && j.batch % batch_unit(s) != 0;
}

/// Whether `test` holds for the number of micro-batches of any replica.
template <typename Test>
bool any_replica(JobRef j, StrategyRef s, Test&& test) {
  if (uneven_batch(j, s)) return false;
  const ReplicaClasses classes(j.batch, s);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PipelineClass& one = classes[k];
    if (test(one.micro_batches) || (one.fewer > 0 && test(one.micro_batches - 1))) return true;
  }
  return false;
}

int class_replicas(StrategyRef s) {
  int replicas = 0;
  for (const PipelineClass& one : s.classes) replicas += one.replicas;
  return replicas;
}

/// Whether replicas that reduce gradients after each micro-batch have different numbers of
/// micro-batches.
bool reduces_out_of_step(StrategyRef s) {
  if (s.zero < 2 || s.classes.empty()) return false;
  return std::ranges::any_of(s.classes, [&](const PipelineClass& one) {
    return one.fewer > 0 || one.micro_batches != s.classes.front().micro_batches;
  });
}

bool is_interleaved(StrategyRef s) { return s.schedule == PipelineSchedule::interleaved; }

/// The largest divisor of `whole` up to `most`.
int largest_divisor(int whole, int most) {
  int best = std::min(whole, most);
  while (whole % best != 0) --best;
  return best;
}

constexpr std::array kRules{
    Rule{[](JobRef, StrategyRef s, int gpus) { return ranks_of(s) != gpus; },
         [](JobRef, StrategyRef s, int gpus) {
           return fmt::format("tp {} x pp {} x cp {} x dp {} is not {} GPUs", s.tp, s.pp, s.cp,
                              s.dp, gpus);
         },
         [](JobRef, StrategyRef s, int gpus) -> std::string {
           const std::int64_t rest = std::int64_t{s.tp} * s.pp * s.cp;
           if (gpus % rest == 0) return fmt::format("dp={}", gpus / rest);
           return fmt::format("take {} GPUs", std::max<std::int64_t>(1, gpus / rest) * rest);
         }},
    Rule{[](JobRef j, StrategyRef s, int) { return j.model.heads % s.tp != 0; },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} heads do not divide by tp {}", j.model.heads, s.tp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("tp={}", nearest_divisor(j.model.heads, s.tp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return !j.model.mla && j.model.kv() % s.tp != 0 && s.tp % j.model.kv() != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} key and value heads do not divide by tp {}, nor it by them",
                              j.model.kv(), s.tp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("tp={}", nearest_divisor(j.model.kv(), s.tp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) { return j.model.ffn % s.tp != 0; },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("an MLP of {} does not divide by tp {}", j.model.ffn, s.tp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("tp={}", nearest_divisor(j.model.ffn, s.tp));
         }},
    Rule{[](JobRef, StrategyRef s, int) {
           return !s.layers.empty() && std::ssize(s.layers) != std::ptrdiff_t{s.pp} * s.interleave;
         },
         [](JobRef, StrategyRef s, int) {
           return s.interleave > 1
                      ? fmt::format("layers are given of {} chunks, pp {} x interleave {} is {}",
                                    s.layers.size(), s.pp, s.interleave, s.pp * s.interleave)
                      : fmt::format("layers are given of {} stages, pp is {}", s.layers.size(),
                                    s.pp);
         },
         [](JobRef j, StrategyRef s, int) {
           return even_layers(j.model.layers, s.pp * s.interleave);
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return !s.layers.empty() && sum(s.layers) != j.model.layers;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("the stages have {} layers together, {} has {}", sum(s.layers),
                              j.model.name, j.model.layers);
         },
         [](JobRef j, StrategyRef s, int) {
           return even_layers(j.model.layers, s.pp * s.interleave);
         }},
    Rule{[](JobRef, StrategyRef s, int) { return !s.layers.empty() && s.even_ends; },
         [](JobRef, StrategyRef, int) -> std::string {
           return "stages whose layers are given have no even ends";
         },
         [](JobRef, StrategyRef, int) -> std::string { return "even_ends=false"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return s.tower_stages > 0 && !j.model.has_front(); },
         [](JobRef j, StrategyRef, int) {
           return fmt::format("{} has no towers and no encoder", j.model.name);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "tower_stages=0"; }},
    Rule{[](JobRef, StrategyRef s, int) {
           const auto first = s.layers.begin();
           const auto last = first + std::min<std::ptrdiff_t>(s.tower_stages, std::ssize(s.layers));
           return s.tower_stages > 0 &&
                  (s.tower_stages >= s.pp || s.interleave > 1 ||
                   std::any_of(first, last, [](int layers) { return layers > 0; }));
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format(
               "{} tower stages need stages without chunks or layers, and one behind them",
               s.tower_stages);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "interleave=1, or more pp"; }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return std::ranges::any_of(j.model.towers,
                                      [&](const TowerSpec& t) { return t.heads % s.tp != 0; });
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} heads of {} do not divide by tp {}", j.model.towers.front().heads,
                              j.model.towers.front().name, s.tp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("tp={}", nearest_divisor(j.model.towers.front().heads, s.tp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return j.model.encoder && j.model.encoder->heads % s.tp != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} heads of the encoder do not divide by tp {}",
                              j.model.encoder->heads, s.tp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("tp={}", nearest_divisor(j.model.encoder->heads, s.tp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) { return j.model.encoder && s.cp > 1; },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format(
               "cp {} does not cut attention to an encoder's tokens, which {} has in every layer",
               s.cp, j.model.name);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "cp=1"; }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return j.model.encoder && s.sequence_parallel && j.model.encoder->tokens % s.tp != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} tokens of the encoder do not divide by tp {}",
                              j.model.encoder->tokens, s.tp);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "sequence_parallel=false"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return has_too_few_layers(j.model, s); },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} layers are fewer than pp {} x interleave {}", j.model.layers,
                              s.pp, s.interleave);
         },
         [](JobRef j, StrategyRef s, int) {
           return s.interleave > 1 ? dividing_stages(j.model, s)
                                   : fmt::format("pp={}", nearest_divisor(units(j.model, s), s.pp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return s.layers.empty() && !s.even_ends && s.interleave > 1 &&
                  !has_too_few_layers(j.model, s) &&
                  units(j.model, s) % (std::int64_t{s.pp} * s.interleave) != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} layers do not divide by pp {} x interleave {}", units(j.model, s),
                              s.pp, s.interleave);
         },
         [](JobRef j, StrategyRef s, int) { return dividing_stages(j.model, s); }},
    Rule{[](JobRef, StrategyRef s, int) { return !s.classes.empty() && class_replicas(s) != s.dp; },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("the classes have {} replicas together, dp is {}", class_replicas(s),
                              s.dp);
         },
         [](JobRef, StrategyRef s, int) { return fmt::format("dp={}", class_replicas(s)); }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return !s.classes.empty() && all_micro_batches(j.batch, s) * s.micro_batch != j.batch;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format(
               "batches give {} micro-batches of {} to all replicas, a step has {} sequences",
               all_micro_batches(j.batch, s), s.micro_batch, j.batch);
         },
         [](JobRef, StrategyRef, int) -> std::string {
           return "batches left out: they are chosen";
         }},
    Rule{[](JobRef, StrategyRef s, int) { return reduces_out_of_step(s); },
         [](JobRef, StrategyRef s, int) {
           return fmt::format(
               "zero {} reduces gradients after each micro-batch, so replicas with different "
               "numbers of micro-batches would wait for each other forever",
               s.zero);
         },
         [](JobRef, StrategyRef, int) -> std::string {
           return "zero=1, or as many micro-batches (batches) for every replica";
         }},
    Rule{[](JobRef, StrategyRef s, int) {
           return s.schedule == PipelineSchedule::dualpipe &&
                  !std::ranges::all_of(s.classes, &PipelineClass::is_pure);
         },
         [](JobRef, StrategyRef, int) -> std::string {
           return "dualpipe puts two stages on a GPU, which must be of one type";
         },
         [](JobRef, StrategyRef, int) -> std::string { return "schedule=1f1b"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return uneven_batch(j, s); },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("a batch of {} does not divide by dp {} x micro_batch {}", j.batch,
                              s.dp, s.micro_batch);
         },
         [](JobRef j, StrategyRef s, int) -> std::string {
           const std::int64_t each = batch_unit(s);
           if (j.batch % s.dp == 0)
             return fmt::format("micro_batch={}", nearest_divisor(j.batch / s.dp, s.micro_batch));
           if (each > 2LL * j.batch) return "a smaller dp or micro_batch";
           return fmt::format("--batch {}",
                              std::max<std::int64_t>(1, (j.batch + each / 2) / each) * each);
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return is_interleaved(s) && s.pp > 1 &&
                  any_replica(j, s, [&](int m) { return m % s.pp != 0; });
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format(
               "interleaved stages need micro-batches in multiples of pp {}, here are {}", s.pp,
               micro_batches(j.batch, s));
         },
         [](JobRef, StrategyRef, int) -> std::string { return "schedule=1f1b,interleave=1"; }},
    Rule{[](JobRef, StrategyRef s, int) { return is_interleaved(s) != (s.interleave > 1); },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("interleave {} needs {}", s.interleave,
                              s.interleave > 1 ? "schedule=interleaved" : "another schedule");
         },
         [](JobRef, StrategyRef s, int) -> std::string {
           return s.interleave > 1 ? "schedule=interleaved" : "schedule=1f1b";
         }},
    Rule{[](JobRef, StrategyRef s, int) { return s.interleave > 1 && s.pp == 1; },
         [](JobRef, StrategyRef, int) -> std::string {
           return "one pipeline stage cannot be interleaved";
         },
         [](JobRef, StrategyRef, int) -> std::string { return "interleave=1"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return s.cp > 1 && j.sequence % (2 * s.cp) != 0; },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("a sequence of {} does not divide by twice cp {}", j.sequence, s.cp);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("cp={}", nearest_divisor(j.sequence / 2, s.cp));
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return s.sequence_parallel && (s.tp == 1 || j.sequence / s.cp % s.tp != 0);
         },
         [](JobRef j, StrategyRef s, int) -> std::string {
           if (s.tp == 1) return "sequence parallelism needs tp above 1";
           return fmt::format("a sequence of {} does not divide by cp {} x tp {}", j.sequence, s.cp,
                              s.tp);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "sequence_parallel=false"; }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return s.cp > 1 && s.context == ContextKind::ulysses &&
                  j.model.heads % (s.tp * s.cp) != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} heads do not divide by tp {} x cp {}", j.model.heads, s.tp, s.cp);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "context=ring"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return (s.ep > 1 || s.etp > 1) && !j.model.moe; },
         [](JobRef j, StrategyRef, int) { return fmt::format("{} has no experts", j.model.name); },
         [](JobRef, StrategyRef, int) -> std::string { return "ep=1,etp=1"; }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return j.model.moe && j.model.moe->experts % s.ep != 0;
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("{} experts do not divide by ep {}", j.model.moe->experts, s.ep);
         },
         [](JobRef j, StrategyRef s, int) {
           return fmt::format("ep={}", nearest_divisor(j.model.moe->experts, s.ep));
         }},
    Rule{[](JobRef, StrategyRef s, int) { return s.etp != 1 && s.etp != s.tp; },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("etp {} is neither 1 nor tp {}", s.etp, s.tp);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "etp=1"; }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return j.model.moe && s.tp > 1 && !s.sequence_parallel;
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format(
               "experts behind tp {} need sequence parallelism, or its ranks send the same tokens",
               s.tp);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "sequence_parallel=true"; }},
    Rule{[](JobRef, StrategyRef s, int) {
           return s.recompute_layers > 0 && s.recompute != Recompute::full;
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("recompute_layers {} are of recompute=full", s.recompute_layers);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "recompute=full"; }},
    Rule{[](JobRef, StrategyRef s, int) {
           return s.recompute == Recompute::full && s.recomputes_operations();
         },
         [](JobRef, StrategyRef, int) -> std::string {
           return "recompute=full already computes norms, activation functions and products again";
         },
         [](JobRef, StrategyRef, int) -> std::string { return "recompute=none"; }},
    Rule{[](JobRef j, StrategyRef s, int) { return s.recompute_mla && !j.model.mla; },
         [](JobRef j, StrategyRef, int) {
           return fmt::format("{} has no latent attention (MLA) to compute again", j.model.name);
         },
         [](JobRef, StrategyRef, int) -> std::string { return "recompute_mla=false"; }},
    Rule{[](JobRef, StrategyRef s, int) {
           const auto uneven = [&](int replicas) {
             return std::int64_t{s.tp} * replicas * s.cp % (std::int64_t{s.ep} * s.etp) != 0;
           };
           return s.classes.empty()
                      ? uneven(s.dp)
                      : std::ranges::any_of(s.classes, uneven, &PipelineClass::replicas);
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("the {} ranks of a stage do not divide by ep {} x etp {}",
                              s.tp * s.dp * s.cp, s.ep, s.etp);
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("ep={}",
                              nearest_divisor(std::max(1, s.tp * s.dp * s.cp / s.etp), s.ep));
         }},
    Rule{[](JobRef, StrategyRef s, int) {
           return s.shard_group > 0 && s.replicas() % s.shard_group != 0;
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("{} replicas do not divide by shard_group {}", s.replicas(),
                              s.shard_group);
         },
         [](JobRef, StrategyRef s, int) {
           return fmt::format("shard_group={}", nearest_divisor(s.replicas(), s.shard_group));
         }},
    Rule{[](JobRef j, StrategyRef s, int) {
           return s.schedule == PipelineSchedule::dualpipe &&
                  (s.pp % 2 != 0 ||
                   any_replica(j, s, [&](int m) { return m < 2 * s.pp || m % 2 != 0; }));
         },
         [](JobRef j, StrategyRef s, int) {
           if (s.pp % 2 != 0)
             return fmt::format("dualpipe needs an even number of stages, pp is {}", s.pp);
           return fmt::format("dualpipe needs an even number of micro-batches from {}, here are {}",
                              2 * s.pp, micro_batches(j.batch, s));
         },
         [](JobRef j, StrategyRef s, int) -> std::string {
           if (s.pp % 2 != 0) return s.pp == 1 ? "schedule=1f1b" : fmt::format("pp={}", s.pp - 1);
           // Suggest settings that give enough micro-batches: a smaller micro-batch, or another
           // batch.
           const std::int64_t unit = 2LL * s.pp * s.dp, most = j.batch / unit;
           const int half = j.batch / s.dp / 2;
           if (most < 1 || j.batch / s.dp % 2 != 0)
             return fmt::format("--batch {}, or schedule=1f1b",
                                std::max<std::int64_t>(1, (j.batch + unit / 2) / unit) * unit);
           return fmt::format("micro_batch={}", largest_divisor(half, static_cast<int>(most)));
         }},
};

}  // namespace

int nearest_divisor(int whole, int wanted) {
  int best = 1;
  const auto take = [&](int d) {
    const int far = std::abs(d - wanted), known = std::abs(best - wanted);
    if (far < known || (far == known && d < best)) best = d;
  };
  for (int d = 1; d <= whole / d; ++d) {
    if (whole % d != 0) continue;
    take(d);
    take(whole / d);
  }
  return best;
}

bool is_valid(const Job& job, const Strategy& strategy, int gpus) {
  for (const Rule& rule : kRules)
    if (rule.broken(job, strategy, gpus)) return false;
  return true;
}

std::vector<Diagnostic> strategy_problems(const Job& job, const Strategy& strategy, int gpus,
                                          const std::string& where) {
  std::vector<Diagnostic> problems;
  // If the number of ranks overflows an int, only the first rule is meaningful.
  const bool is_countable = ranks_of(strategy) <= std::numeric_limits<int>::max();
  const std::span<const Rule> rules(kRules.data(), is_countable ? kRules.size() : 1);
  for (const Rule& rule : rules)
    if (rule.broken(job, strategy, gpus))
      problems.push_back(
          {"", where, rule.message(job, strategy, gpus), rule.hint(job, strategy, gpus)});
  return problems;
}

}  // namespace railyard::placement

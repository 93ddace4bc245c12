#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>

#include "core/diagnostic.hpp"
#include "placement/emit/framework_arguments.hpp"

namespace railyard::placement {
namespace {

struct Word {
  std::string text;
  int line = 1;
};

/// Words as a shell sees them: quotes, '#' comments, backslash-newline.
std::vector<Word> split_words(std::string_view text, Diagnostics& problems) {
  std::vector<Word> words;
  Word word;
  bool is_in_word = false;
  int line = 1;
  char quote = 0;
  const auto take = [&](char c) {
    if (!is_in_word) word = {"", line};
    is_in_word = true;
    if (c != 0) word.text += c;
  };
  const auto end = [&] {
    if (is_in_word) words.push_back(std::move(word));
    is_in_word = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        take(c);
      }
    } else if (c == '\\' && i + 1 < text.size()) {
      if (text[++i] == '\n') {
        ++line;
      } else {
        take(text[i]);
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      take(0);
    } else if (c == '#' && !is_in_word) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      end();
    } else {
      take(c);
    }
  }
  if (quote != 0)
    problems.add(fmt::format("line {}", is_in_word ? word.line : line), "a quote is not closed");
  end();
  return words;
}

// Flags of megatron/training/arguments.py that say how a job is parallelised.
constexpr std::array<std::string_view, 12> kNumbers{"--tensor-model-parallel-size",
                                                    "--pipeline-model-parallel-size",
                                                    "--context-parallel-size",
                                                    "--expert-model-parallel-size",
                                                    "--expert-tensor-parallel-size",
                                                    "--num-layers",
                                                    "--micro-batch-size",
                                                    "--global-batch-size",
                                                    "--seq-length",
                                                    "--recompute-num-layers",
                                                    "--num-layers-per-virtual-pipeline-stage",
                                                    "--num-virtual-stages-per-pipeline-rank"};
constexpr std::array<std::string_view, 4> kWords{"--cp-comm-type", "--recompute-granularity",
                                                 "--recompute-method",
                                                 "--data-parallel-sharding-strategy"};
constexpr std::array<std::string_view, 8> kSwitches{"--sequence-parallel",
                                                    "--use-distributed-optimizer",
                                                    "--use-megatron-fsdp",
                                                    "--overlap-grad-reduce",
                                                    "--overlap-param-gather",
                                                    "--bf16",
                                                    "--fp16",
                                                    "--recompute-activations"};

bool is_among(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// Flags that were given, with their values.
class Flags {
 public:
  Flags(std::vector<Word> words, Diagnostics& problems) : problems_(problems) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string& text = words[i].text;
      if (!text.starts_with("--")) continue;  // the program, or a value of an ignored flag
      const std::size_t equals = text.find('=');
      const std::string flag = text.substr(0, equals);
      if (is_among(kSwitches, flag)) {
        values_[flag] = {"", words[i].line};
      } else if (!is_among(kNumbers, flag) && !is_among(kWords, flag)) {
        ignore(flag, words[i].line);
      } else if (equals != std::string::npos) {
        values_[flag] = {text.substr(equals + 1), words[i].line};
      } else if (i + 1 < words.size() && !words[i + 1].text.starts_with("--")) {
        values_[flag] = {words[i + 1].text, words[i].line};
        ++i;
      } else {
        problems_.add(fmt::format("line {}", words[i].line), fmt::format("{} needs a value", flag));
      }
    }
  }

  [[nodiscard]] bool has(const std::string& flag) const { return values_.contains(flag); }
  [[nodiscard]] std::string word(const std::string& flag) const {
    const auto found = values_.find(flag);
    return found == values_.end() ? "" : found->second.text;
  }
  [[nodiscard]] int number(const std::string& flag, int otherwise) {
    const auto found = values_.find(flag);
    if (found == values_.end()) return otherwise;
    const std::string& text = found->second.text;
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
      complain(flag, fmt::format("must be a whole number of at least 1, not '{}'", text));
      return otherwise;
    }
    return value;
  }
  void complain(const std::string& flag, const std::string& message, const std::string& hint = {}) {
    const auto found = values_.find(flag);
    const int line = found == values_.end() ? 1 : found->second.line;
    problems_.add(fmt::format("line {}", line), fmt::format("{} {}", flag, message), hint);
  }
  [[nodiscard]] std::vector<std::string> take_ignored() { return std::move(ignored_); }

 private:
  // Megatron has hundreds of other flags; one that is nearly one of ours is a mistake.
  void ignore(const std::string& flag, int line) {
    std::vector<std::string_view> known(kNumbers.begin(), kNumbers.end());
    known.insert(known.end(), kWords.begin(), kWords.end());
    known.insert(known.end(), kSwitches.begin(), kSwitches.end());
    const auto near = std::ranges::find_if(
        known, [&](std::string_view other) { return differs_by_two(flag, other); });
    if (near != known.end()) {
      problems_.add(fmt::format("line {}", line), fmt::format("unknown argument {}", flag),
                    fmt::format("did you mean '{}'?", *near));
    } else {
      ignored_.push_back(flag);
    }
  }

  // Equal but for at most two characters in a row, the rest being at least eight.
  static bool differs_by_two(std::string_view a, std::string_view b) {
    std::size_t head = 0, tail = 0;
    const std::size_t least = std::min(a.size(), b.size());
    while (head < least && a[head] == b[head]) ++head;
    while (tail < least - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    return head + tail >= 8 && std::max(a.size(), b.size()) - head - tail <= 2;
  }

  Diagnostics& problems_;
  std::map<std::string, Word> values_;
  std::vector<std::string> ignored_;
};

void read_recompute(Flags& flags, LaunchPlan& plan) {
  const std::string granularity = flags.word("--recompute-granularity");
  if (granularity == "selective" || flags.has("--recompute-activations"))
    plan.recompute = LaunchRecompute::selective;
  if (granularity == "full") plan.recompute = LaunchRecompute::full;
  if (!granularity.empty() && granularity != "selective" && granularity != "full")
    flags.complain("--recompute-granularity", fmt::format("cannot be '{}'", granularity),
                   "full or selective");
  const std::string method = flags.word("--recompute-method");
  if (!method.empty() && method != "uniform" && method != "block")
    flags.complain("--recompute-method", fmt::format("cannot be '{}'", method), "uniform or block");
  const int layers = flags.number("--recompute-num-layers", 0);
  if (plan.recompute == LaunchRecompute::full && method == "block") plan.recompute_layers = layers;
}

void read_sharding(Flags& flags, LaunchPlan& plan) {
  if (flags.has("--use-distributed-optimizer")) plan.zero = 1;
  const std::string strategy = flags.word("--data-parallel-sharding-strategy");
  constexpr std::array<std::string_view, 4> kStrategies{"no_shard", "optim", "optim_grads",
                                                        "optim_grads_params"};
  if (strategy.empty()) return;
  const auto found = std::ranges::find(kStrategies, strategy);
  if (found == kStrategies.end()) {
    flags.complain("--data-parallel-sharding-strategy", fmt::format("cannot be '{}'", strategy),
                   "no_shard, optim, optim_grads or optim_grads_params");
  } else if (flags.has("--use-megatron-fsdp")) {
    plan.zero = static_cast<int>(found - kStrategies.begin());
  }
}

void read_interleave(Flags& flags, LaunchPlan& plan) {
  plan.interleave = flags.number("--num-virtual-stages-per-pipeline-rank", 1);
  const std::string flag = "--num-layers-per-virtual-pipeline-stage";
  const int each = flags.number(flag, 0);
  if (each == 0) return;
  if (plan.layers == 0) {
    flags.complain(flag, "needs --num-layers", "add it, so that the stages can be counted");
  } else if (plan.layers % (plan.pp * each) != 0) {
    flags.complain(flag, fmt::format("is {}: {} layers over {} ranks do not divide by it", each,
                                     plan.layers, plan.pp));
  } else {
    plan.interleave = plan.layers / (plan.pp * each);
  }
}

}  // namespace

MegatronArguments parse_megatron_arguments(std::string_view text, int gpus,
                                           const std::string& where) {
  Diagnostics problems(where);
  Flags flags(split_words(text, problems), problems);
  LaunchPlan plan;
  plan.tp = flags.number("--tensor-model-parallel-size", 1);
  plan.pp = flags.number("--pipeline-model-parallel-size", 1);
  plan.cp = flags.number("--context-parallel-size", 1);
  plan.ep = flags.number("--expert-model-parallel-size", 1);
  plan.expert_tp = flags.number("--expert-tensor-parallel-size", 0);
  plan.layers = flags.number("--num-layers", 0);
  plan.micro_batch = flags.number("--micro-batch-size", 1);
  plan.global_batch = flags.number("--global-batch-size", 0);
  plan.sequence_length = flags.number("--seq-length", 0);
  plan.cp_comm_type = flags.word("--cp-comm-type");
  plan.sequence_parallel = flags.has("--sequence-parallel");
  plan.overlap_grad_reduce = flags.has("--overlap-grad-reduce");
  plan.overlap_param_gather = flags.has("--overlap-param-gather");
  if (flags.has("--bf16") && flags.has("--fp16")) flags.complain("--fp16", "contradicts --bf16");
  plan.precision = flags.has("--bf16") ? "bf16" : flags.has("--fp16") ? "fp16" : "";
  read_recompute(flags, plan);
  read_sharding(flags, plan);
  read_interleave(flags, plan);
  const int model = plan.tp * plan.pp * plan.cp;
  if (gpus < model || gpus % model != 0) {
    problems.add("--gpus", fmt::format("{} GPUs do not divide by tp x pp x cp = {}", gpus, model),
                 fmt::format("{} GPUs would fit", std::max(1, (gpus + model / 2) / model) * model));
  }
  problems.throw_if_any();
  plan.dp = gpus / model;
  check_launch_plan(plan, where);
  return {std::move(plan), flags.take_ignored()};
}

}  // namespace railyard::placement

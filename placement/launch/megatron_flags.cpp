#include "placement/launch/megatron_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace railyard::placement {
namespace {

struct ShellWord {
  std::string text;
  int line = 1;
};

/// The words of a text as in a shell: quotes, '#' comments, backslash-newline.
std::vector<ShellWord> split_words(std::string_view text, Diagnostics& problems) {
  std::vector<ShellWord> words;
  ShellWord word;
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

// Larger than in any job, and small enough to be multiplied without overflow.
constexpr int kMost = 1 << 24, kMostLayers = 4096;

bool counts_layers(std::string_view flag) {
  return flag.find("layers") != flag.npos || flag.find("virtual") != flag.npos;
}

/// Number of values of a flag.
enum class ValueCount { nothing, one, several };

struct KnownFlag {
  std::string_view flag;
  ValueCount values = ValueCount::one;
  std::string_view note{};  ///< settings that the model does not include; empty: none
};

// The flags of megatron/training/arguments.py at 4393d2b that determine the parallelisation, and
// their predecessors in older versions.
constexpr std::array kKnownFlags{
    KnownFlag{"--tensor-model-parallel-size"},
    KnownFlag{"--pipeline-model-parallel-size"},
    KnownFlag{"--context-parallel-size"},
    KnownFlag{"--expert-model-parallel-size"},
    KnownFlag{"--expert-tensor-parallel-size"},
    KnownFlag{"--num-experts"},
    KnownFlag{"--num-layers"},
    KnownFlag{"--encoder-num-layers"},
    KnownFlag{"--decoder-num-layers"},
    KnownFlag{"--micro-batch-size"},
    KnownFlag{"--global-batch-size"},
    KnownFlag{"--seq-length"},
    KnownFlag{"--encoder-seq-length"},
    KnownFlag{"--decoder-seq-length"},
    KnownFlag{"--num-layers-per-virtual-pipeline-stage"},
    KnownFlag{"--num-virtual-stages-per-pipeline-rank"},
    KnownFlag{"--pipeline-model-parallel-layout"},
    KnownFlag{"--decoder-first-pipeline-num-layers"},
    KnownFlag{"--decoder-last-pipeline-num-layers"},
    KnownFlag{"--account-for-embedding-in-pipeline-split", ValueCount::nothing},
    KnownFlag{"--account-for-loss-in-pipeline-split", ValueCount::nothing},
    KnownFlag{"--no-overlap-p2p-communication", ValueCount::nothing},
    KnownFlag{"--encoder-pipeline-model-parallel-size"},
    KnownFlag{"--encoder-tensor-model-parallel-size"},
    KnownFlag{"--pipeline-model-parallel-split-rank"},
    KnownFlag{"--cp-comm-type", ValueCount::several},
    KnownFlag{"--sequence-parallel", ValueCount::nothing},
    KnownFlag{"--tp-comm-overlap", ValueCount::nothing},
    KnownFlag{"--use-distributed-optimizer", ValueCount::nothing},
    KnownFlag{"--num-distributed-optimizer-instances"},
    KnownFlag{"--use-megatron-fsdp", ValueCount::nothing},
    KnownFlag{"--use-custom-fsdp", ValueCount::nothing},
    KnownFlag{"--use-torch-fsdp2", ValueCount::nothing},
    KnownFlag{"--torch-fsdp2-no-reshard-after-forward", ValueCount::nothing},
    KnownFlag{"--data-parallel-sharding-strategy"},
    KnownFlag{"--overlap-grad-reduce", ValueCount::nothing},
    KnownFlag{"--overlap-param-gather", ValueCount::nothing},
    KnownFlag{"--overlap-moe-expert-parallel-comm", ValueCount::nothing},
    KnownFlag{"--optimizer-cpu-offload", ValueCount::nothing},
    KnownFlag{"--use-precision-aware-optimizer", ValueCount::nothing},
    KnownFlag{"--recompute-activations", ValueCount::nothing},
    KnownFlag{"--recompute-granularity"},
    KnownFlag{"--recompute-method"},
    KnownFlag{"--recompute-num-layers"},
    KnownFlag{"--recompute-modules", ValueCount::several},
    KnownFlag{"--bf16", ValueCount::nothing},
    KnownFlag{"--fp16", ValueCount::nothing},
    KnownFlag{"--microbatch-group-size-per-virtual-pipeline-stage", ValueCount::one,
              "each chunk processes pp micro-batches in a row"},
    KnownFlag{"--hierarchical-context-parallel-sizes", ValueCount::several,
              "context groups have one level"},
    KnownFlag{"--use-tp-pp-dp-mapping", ValueCount::nothing,
              "ranks are in the order of --order tp-cp-pp-dp"},
    KnownFlag{"--overlap-p2p-communication-warmup-flush", ValueCount::nothing,
              "messages of the first and last micro-batches are not overlapped"},
    KnownFlag{"--overlap-param-gather-with-optimizer-step", ValueCount::nothing,
              "communication does not overlap with the optimizer"},
    KnownFlag{"--optimizer-offload-fraction", ValueCount::one,
              "all of the optimizer is in host memory"},
    KnownFlag{"--cpu-offloading-num-layers", ValueCount::one,
              "activations stay on the GPU (offload_activations in --fix)"},
    KnownFlag{"--delay-wgrad-compute", ValueCount::nothing, "gradients of weights are not delayed"},
    KnownFlag{"--defer-embedding-wgrad-compute", ValueCount::nothing,
              "gradients of weights are not delayed"},
    KnownFlag{"--moe-shared-expert-overlap", ValueCount::nothing,
              "shared experts run before the others"},
    KnownFlag{"--mtp-num-layers", ValueCount::one, "multi-token prediction is not counted"}};

/// Two flags that Megatron-LM refuses together, or the first without the second.
struct Pair {
  std::string_view flag, other;
};
constexpr std::array kClashes{
    Pair{"--fp16", "--bf16"},
    Pair{"--encoder-num-layers", "--num-layers"},
    Pair{"--encoder-seq-length", "--seq-length"},
    Pair{"--num-virtual-stages-per-pipeline-rank", "--num-layers-per-virtual-pipeline-stage"},
    Pair{"--pipeline-model-parallel-layout", "--num-layers-per-virtual-pipeline-stage"},
    Pair{"--pipeline-model-parallel-layout", "--num-virtual-stages-per-pipeline-rank"},
    Pair{"--pipeline-model-parallel-layout", "--decoder-first-pipeline-num-layers"},
    Pair{"--pipeline-model-parallel-layout", "--decoder-last-pipeline-num-layers"},
    Pair{"--pipeline-model-parallel-layout", "--account-for-embedding-in-pipeline-split"},
    Pair{"--pipeline-model-parallel-layout", "--account-for-loss-in-pipeline-split"},
    Pair{"--decoder-first-pipeline-num-layers", "--num-layers-per-virtual-pipeline-stage"},
    Pair{"--decoder-last-pipeline-num-layers", "--num-layers-per-virtual-pipeline-stage"},
    Pair{"--decoder-first-pipeline-num-layers", "--account-for-embedding-in-pipeline-split"},
    Pair{"--decoder-first-pipeline-num-layers", "--account-for-loss-in-pipeline-split"},
    Pair{"--decoder-last-pipeline-num-layers", "--account-for-embedding-in-pipeline-split"},
    Pair{"--decoder-last-pipeline-num-layers", "--account-for-loss-in-pipeline-split"},
    Pair{"--pipeline-model-parallel-split-rank", "--encoder-pipeline-model-parallel-size"},
    Pair{"--use-torch-fsdp2", "--use-distributed-optimizer"},
    Pair{"--use-torch-fsdp2", "--use-megatron-fsdp"},
    Pair{"--use-torch-fsdp2", "--fp16"}};
constexpr std::array kNeeds{
    Pair{"--tp-comm-overlap", "--sequence-parallel"},
    Pair{"--overlap-param-gather", "--overlap-grad-reduce"},
    Pair{"--num-distributed-optimizer-instances", "--use-distributed-optimizer"},
    Pair{"--optimizer-cpu-offload", "--use-precision-aware-optimizer"},
    Pair{"--overlap-moe-expert-parallel-comm", "--expert-model-parallel-size"}};

const KnownFlag* find_known(std::string_view flag) {
  const auto found = std::ranges::find(kKnownFlags, flag, &KnownFlag::flag);
  return found == kKnownFlags.end() ? nullptr : &*found;
}

// Whether two flags differ only in at most two adjacent characters and share at least eight others.
bool differs_by_two(std::string_view a, std::string_view b) {
  std::size_t head = 0, tail = 0;
  const std::size_t least = std::min(a.size(), b.size());
  while (head < least && a[head] == b[head]) ++head;
  while (tail < least - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return head + tail >= 8 && std::max(a.size(), b.size()) - head - tail <= 2;
}

}  // namespace

MegatronFlags::MegatronFlags(std::string_view text, Diagnostics& problems) : problems_(problems) {
  const std::vector<ShellWord> words = split_words(text, problems);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& given = words[i].text;
    if (!given.starts_with("--")) continue;  // the program, or a value of an ignored flag
    const std::size_t equals = given.find('=');
    const std::string flag = given.substr(0, equals);
    const KnownFlag* known = find_known(flag);
    if (known == nullptr) {
      ignore(flag, words[i].line);
      continue;
    }
    Value value{.words = {}, .line = words[i].line};
    if (known->values != ValueCount::nothing && equals != given.npos)
      value.words.push_back(given.substr(equals + 1));
    const std::size_t most = known->values == ValueCount::several ? words.size() : 1;
    while (known->values != ValueCount::nothing && equals == given.npos && i + 1 < words.size() &&
           value.words.size() < most && !words[i + 1].text.starts_with("--"))
      value.words.push_back(words[++i].text);
    if (known->values == ValueCount::one && value.words.empty())
      problems_.add(fmt::format("line {}", value.line), fmt::format("{} needs a value", flag));
    else
      values_[flag] = std::move(value);
  }
}

std::vector<std::string> MegatronFlags::words(std::string_view flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>() : found->second.words;
}

std::string MegatronFlags::word(std::string_view flag) const {
  const std::vector<std::string> all = words(flag);
  return all.empty() ? "" : all.front();
}

int MegatronFlags::number(std::string_view flag, int otherwise, int least) {
  if (!has(flag)) return otherwise;
  const std::string text = word(flag);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  const int most = counts_layers(flag) ? kMostLayers : kMost;
  if (whole && value >= least && value <= most) return value;
  add_problem(flag,
              whole && value > most
                  ? fmt::format("is {}, more than {}", value, most)
                  : fmt::format("must be a whole number of at least {}, not '{}'", least, text));
  return otherwise;
}

void MegatronFlags::add_problem(std::string_view flag, const std::string& message,
                                const std::string& hint) {
  const auto found = values_.find(flag);
  const int line = found == values_.end() ? 1 : found->second.line;
  problems_.add(fmt::format("line {}", line), fmt::format("{} {}", flag, message), hint);
}

void MegatronFlags::check_combinations() {
  for (const Pair& pair : kClashes)
    if (has(pair.flag) && has(pair.other))
      add_problem(pair.flag, fmt::format("contradicts {}", pair.other), "leave one of them out");
  for (const Pair& pair : kNeeds)
    if (has(pair.flag) && !has(pair.other))
      add_problem(pair.flag, fmt::format("needs {}", pair.other), "add it, or leave this out");
}

std::vector<std::string> MegatronFlags::notes() const {
  std::vector<std::string> notes;
  for (const KnownFlag& known : kKnownFlags)
    if (!known.note.empty() && has(known.flag))
      notes.push_back(fmt::format("{}: {}", known.flag, known.note));
  return notes;
}

// Megatron-LM has hundreds of other flags. One that is similar to a known flag is probably a typing
// error.
void MegatronFlags::ignore(const std::string& flag, int line) {
  const auto near = std::ranges::find_if(
      kKnownFlags, [&](const KnownFlag& known) { return differs_by_two(flag, known.flag); });
  if (near != kKnownFlags.end())
    problems_.add(fmt::format("line {}", line), fmt::format("unknown argument {}", flag),
                  fmt::format("did you mean '{}'?", near->flag));
  else
    ignored_.push_back(flag);
}

}  // namespace railyard::placement

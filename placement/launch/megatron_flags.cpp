#include "placement/launch/megatron_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

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

// Beyond what any job has, and small enough to be multiplied.
constexpr int kMost = 1 << 24, kMostLayers = 4096;

bool counts_layers(std::string_view flag) {
  return flag.find("layers") != flag.npos || flag.find("virtual") != flag.npos;
}

/// How many values a flag has.
enum class Takes { nothing, one, several };

struct Known {
  std::string_view flag;
  Takes takes = Takes::one;
  std::string_view note{};  ///< what of it is not in the model; empty: it is
};

// Of megatron/training/arguments.py at 4393d2b what says how a job is parallelised, and
// what older versions had for it.
constexpr std::array kKnown{
    Known{"--tensor-model-parallel-size"},
    Known{"--pipeline-model-parallel-size"},
    Known{"--context-parallel-size"},
    Known{"--expert-model-parallel-size"},
    Known{"--expert-tensor-parallel-size"},
    Known{"--num-experts"},
    Known{"--num-layers"},
    Known{"--encoder-num-layers"},
    Known{"--decoder-num-layers"},
    Known{"--micro-batch-size"},
    Known{"--global-batch-size"},
    Known{"--seq-length"},
    Known{"--encoder-seq-length"},
    Known{"--decoder-seq-length"},
    Known{"--num-layers-per-virtual-pipeline-stage"},
    Known{"--num-virtual-stages-per-pipeline-rank"},
    Known{"--pipeline-model-parallel-layout"},
    Known{"--decoder-first-pipeline-num-layers"},
    Known{"--decoder-last-pipeline-num-layers"},
    Known{"--account-for-embedding-in-pipeline-split", Takes::nothing},
    Known{"--account-for-loss-in-pipeline-split", Takes::nothing},
    Known{"--no-overlap-p2p-communication", Takes::nothing},
    Known{"--encoder-pipeline-model-parallel-size"},
    Known{"--encoder-tensor-model-parallel-size"},
    Known{"--pipeline-model-parallel-split-rank"},
    Known{"--cp-comm-type", Takes::several},
    Known{"--sequence-parallel", Takes::nothing},
    Known{"--tp-comm-overlap", Takes::nothing},
    Known{"--use-distributed-optimizer", Takes::nothing},
    Known{"--num-distributed-optimizer-instances"},
    Known{"--use-megatron-fsdp", Takes::nothing},
    Known{"--use-custom-fsdp", Takes::nothing},
    Known{"--use-torch-fsdp2", Takes::nothing},
    Known{"--torch-fsdp2-no-reshard-after-forward", Takes::nothing},
    Known{"--data-parallel-sharding-strategy"},
    Known{"--overlap-grad-reduce", Takes::nothing},
    Known{"--overlap-param-gather", Takes::nothing},
    Known{"--overlap-moe-expert-parallel-comm", Takes::nothing},
    Known{"--optimizer-cpu-offload", Takes::nothing},
    Known{"--use-precision-aware-optimizer", Takes::nothing},
    Known{"--recompute-activations", Takes::nothing},
    Known{"--recompute-granularity"},
    Known{"--recompute-method"},
    Known{"--recompute-num-layers"},
    Known{"--recompute-modules", Takes::several},
    Known{"--bf16", Takes::nothing},
    Known{"--fp16", Takes::nothing},
    Known{"--microbatch-group-size-per-virtual-pipeline-stage", Takes::one,
          "chunks take as many micro-batches in a row as there are pipeline ranks"},
    Known{"--hierarchical-context-parallel-sizes", Takes::several, "context groups have one level"},
    Known{"--use-tp-pp-dp-mapping", Takes::nothing,
          "ranks are in the order of --order tp-cp-pp-dp"},
    Known{"--overlap-p2p-communication-warmup-flush", Takes::nothing,
          "messages of the first and last micro-batches are not overlapped"},
    Known{"--overlap-param-gather-with-optimizer-step", Takes::nothing,
          "nothing runs beside the optimizer"},
    Known{"--optimizer-offload-fraction", Takes::one, "all of the optimizer is in host memory"},
    Known{"--cpu-offloading-num-layers", Takes::one,
          "activations stay on the GPU (offload_activations in --fix)"},
    Known{"--delay-wgrad-compute", Takes::nothing, "gradients of weights are not delayed"},
    Known{"--defer-embedding-wgrad-compute", Takes::nothing,
          "gradients of weights are not delayed"},
    Known{"--moe-shared-expert-overlap", Takes::nothing, "shared experts run before the others"},
    Known{"--mtp-num-layers", Takes::one, "multi-token prediction is not counted"}};

/// Two flags that Megatron refuses together, or the first without the second.
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

const Known* find_known(std::string_view flag) {
  const auto found = std::ranges::find(kKnown, flag, &Known::flag);
  return found == kKnown.end() ? nullptr : &*found;
}

// Equal but for at most two characters in a row, the rest being at least eight.
bool differs_by_two(std::string_view a, std::string_view b) {
  std::size_t head = 0, tail = 0;
  const std::size_t least = std::min(a.size(), b.size());
  while (head < least && a[head] == b[head]) ++head;
  while (tail < least - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return head + tail >= 8 && std::max(a.size(), b.size()) - head - tail <= 2;
}

}  // namespace

MegatronFlags::MegatronFlags(std::string_view text, Diagnostics& problems) : problems_(problems) {
  const std::vector<Word> words = split_words(text, problems);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& given = words[i].text;
    if (!given.starts_with("--")) continue;  // the program, or a value of an ignored flag
    const std::size_t equals = given.find('=');
    const std::string flag = given.substr(0, equals);
    const Known* known = find_known(flag);
    if (known == nullptr) {
      ignore(flag, words[i].line);
      continue;
    }
    Value value{.words = {}, .line = words[i].line};
    if (known->takes != Takes::nothing && equals != given.npos)
      value.words.push_back(given.substr(equals + 1));
    const std::size_t most = known->takes == Takes::several ? words.size() : 1;
    while (known->takes != Takes::nothing && equals == given.npos && i + 1 < words.size() &&
           value.words.size() < most && !words[i + 1].text.starts_with("--"))
      value.words.push_back(words[++i].text);
    if (known->takes == Takes::one && value.words.empty())
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
  complain(flag, whole && value > most
                     ? fmt::format("is {}, more than {}", value, most)
                     : fmt::format("must be a whole number of at least {}, not '{}'", least, text));
  return otherwise;
}

void MegatronFlags::complain(std::string_view flag, const std::string& message,
                             const std::string& hint) {
  const auto found = values_.find(flag);
  const int line = found == values_.end() ? 1 : found->second.line;
  problems_.add(fmt::format("line {}", line), fmt::format("{} {}", flag, message), hint);
}

void MegatronFlags::check_combinations() {
  for (const Pair& pair : kClashes)
    if (has(pair.flag) && has(pair.other))
      complain(pair.flag, fmt::format("contradicts {}", pair.other), "leave one of them out");
  for (const Pair& pair : kNeeds)
    if (has(pair.flag) && !has(pair.other))
      complain(pair.flag, fmt::format("needs {}", pair.other), "add it, or leave this out");
}

std::vector<std::string> MegatronFlags::notes() const {
  std::vector<std::string> notes;
  for (const Known& known : kKnown)
    if (!known.note.empty() && has(known.flag))
      notes.push_back(fmt::format("{}: {}", known.flag, known.note));
  return notes;
}

// Megatron has hundreds of other flags; one that is nearly one of ours is a mistake.
void MegatronFlags::ignore(const std::string& flag, int line) {
  const auto near = std::ranges::find_if(
      kKnown, [&](const Known& known) { return differs_by_two(flag, known.flag); });
  if (near != kKnown.end())
    problems_.add(fmt::format("line {}", line), fmt::format("unknown argument {}", flag),
                  fmt::format("did you mean '{}'?", near->flag));
  else
    ignored_.push_back(flag);
}

}  // namespace railyard::placement

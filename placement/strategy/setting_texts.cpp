#include "placement/strategy/setting_texts.hpp"

#include <fmt/format.h>

#include <string_view>

#include "placement/strategy/counts.hpp"
#include "placement/strategy/strategy_fields.hpp"

namespace railyard::placement {
namespace {

/// Words with a space between them.
class Words {
 public:
  void add(bool is_set, std::string_view word) {
    if (is_set) (text_ += text_.empty() ? "" : " ") += word;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string count(std::string_view key, int value) { return fmt::format("{}={}", key, value); }

}  // namespace

std::string overlap_text(const Strategy& s) {
  Words words;
  words.add(s.tp_overlap, "tp");
  words.add(s.dp_overlap, "dp");
  words.add(s.pp_overlap, "pp");
  words.add(s.ep_overlap, "ep");
  return words.text();
}

std::string other_settings_text(const Strategy& s) {
  Words words;
  words.add(s.etp > 1, count("etp", s.etp));
  words.add(s.cp > 1 && s.context != ContextKind::ring, core::enum_name(s.context));
  words.add(s.shard_group > 0, count("shard_group", s.shard_group));
  words.add(s.recompute_layers > 0, count("recompute_layers", s.recompute_layers));
  words.add(s.recompute_norms, "recompute_norms");
  words.add(s.recompute_act, "recompute_act");
  words.add(s.recompute_mla, "recompute_mla");
  words.add(s.pp > 1 && s.interleave == 1 && s.schedule != PipelineSchedule::one_f_one_b,
            core::enum_name(s.schedule));
  words.add(s.even_ends, "even_ends");
  // With classes the stages have a table of their own.
  words.add(s.classes.empty() && !s.layers.empty(), "layers=" + to_counts_text(s.layers));
  words.add(s.tower_stages > 0, count("tower_stages", s.tower_stages));
  words.add(s.offload_optimizer, "offload_optimizer");
  words.add(s.offload_activations, "offload_activations");
  words.add(s.offload_weights, "offload_weights");
  return words.text();
}

}  // namespace railyard::placement

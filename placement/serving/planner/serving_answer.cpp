#include "placement/serving/planner/serving_answer.hpp"

#include <fmt/format.h>

#include <cmath>

namespace railyard::placement::serving {
namespace {

/// Name of the limiting resource for the answer.
std::string_view words_of(ServingLimit limit) {
  switch (limit) {
    case ServingLimit::hbm: return "the memory bandwidth of the GPUs";
    case ServingLimit::kv_memory: return "the memory for the KV cache";
    case ServingLimit::sequences: return "the number of concurrent sequences (--max-sequences)";
    case ServingLimit::host: return "the host's time per step";
    default: return name_of(limit);
  }
}

}  // namespace

std::string answer_of(const ServingOption& o, const ServingDemand& d, const std::string& currency) {
  std::string what =
      fmt::format("{} {} of {}: {} {} with {}", o.gpus(), o.gpus() == 1 ? "GPU" : "GPUs", o.cluster,
                  o.replicas, o.replicas == 1 ? "replica" : "replicas", split_text(o.deployment));
  if (o.prefill)
    what += fmt::format(" for decoding, {} with {} for prompts", o.prefill_replicas,
                        split_text(*o.prefill));
  if (o.mean_replicas) what += fmt::format(", {:.1f} of them running on average", *o.mean_replicas);
  const std::string times =
      fmt::format("TTFT {:.0f} ms and TPOT {:.1f} ms at p99", o.ttft.p99 * 1e3, o.tpot.p99 * 1e3);
  if (!o.meets)
    return fmt::format(
        "No deployment meets the limits. The nearest is {}: {}; {:.1f} % of the "
        "requests are within the limits.",
        what, times, 100 * o.goodput);
  const std::string cost = o.cost_per_hour
                               ? fmt::format(
                                     " It costs {:.2f} {} per hour, {:.2f} {} per million output "
                                     "tokens.",
                                     *o.cost_per_hour, currency, *o.cost_per_million(), currency)
                               : "";
  return fmt::format(
      "The cheapest deployment is {}: {}.{} It saturates at {:.3g} requests per second ({:.2f}x "
      "the load), limited by {}. Its 80 % range, from the errors on measured runs, is {:.3g} to "
      "{:.3g} requests per second; the plan uses {:.3g}{}.",
      what, times, cost, o.saturation(), o.saturation() / d.rate, words_of(o.most.limit),
      o.saturation() * o.range.low, o.saturation() * o.range.high, o.saturation() / (1 + o.margin),
      std::abs(o.margin - o.range.margin()) < 1e-9 ? ", the low end" : " (--margin)");
}

}  // namespace railyard::placement::serving

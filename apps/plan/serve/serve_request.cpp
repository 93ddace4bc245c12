#include "apps/plan/serve/serve_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "apps/cli/flag_value.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/plan/serve/fabric_transfers.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/capacity/rents.hpp"
#include "placement/measured/step_predictor.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/traced_demand.hpp"
#include "placement/serving/service/request_trace.hpp"
#include "placement/serving/step/calibrated_efficiency.hpp"
#include "placement/serving/step/cluster_exchanges.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

/// Requests per second from "50/s" or "300/min".
double rate_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  double value = 0;
  const char* last = text.data() + std::min(slash, text.size());
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string unit = slash == std::string::npos ? "" : text.substr(slash + 1);
  if (error != std::errc() || end != last || !(value > 0) || (unit != "s" && unit != "min"))
    throw InputError("", "--rate", fmt::format("'{}' is not a rate of requests", text),
                     "50/s or 300/min");
  return unit == "s" ? value : value / 60;
}

double seconds_of(const std::string& text, const char* flag) {
  if (text.empty()) return 0;
  const double seconds = flag_value(core::parse_time(text), flag, "500ms").seconds();
  if (!(seconds > 0)) throw InputError("", flag, "is 0", "500ms");
  return seconds;
}

/// The enum value of a flag whose text is known to be valid.
template <class Enum>
Enum enum_of(const std::string& text) {
  return *core::parse_enum<Enum>(text).value;
}

/// The values of --efficiency; empty without the flag.
std::optional<StepEfficiency> efficiency_of(const ServeFlags& flags, Engine engine) {
  if (flags.efficiency.empty()) return std::nullopt;
  const CalibratedEfficiency file = read_calibrated_efficiency(flags.efficiency);
  if (file.engine != engine)
    throw InputError(
        flags.efficiency, "/engine",
        fmt::format("is {}, but --engine is {}", core::enum_name(file.engine), flags.engine),
        fmt::format("--engine {}", core::enum_name(file.engine)));
  return file.efficiency();
}

/// The requests of a file: a trace, or random ones with the rates in its time windows.
std::vector<Request> requests_of(const ServeFlags& flags) {
  const bool has_lengths = flags.input > 0 || flags.output > 0;
  if (!holds_rate_windows(flags.trace)) {
    if (has_lengths || flags.cv != 1)
      throw InputError("", "--trace", "already contains lengths and arrival times",
                       "leave out --input, --output and --cv");
    if (!flags.pool.empty())
      throw InputError("", "--pool", "the trace has no pools", "leave it out");
    return read_request_trace(flags.trace);
  }
  if (flags.input == 0 || flags.output == 0 || flags.cv != 1)
    throw InputError("", "--trace",
                     "contains rates and their variation, but no lengths of prompts and answers",
                     "add --input 2000 --output 300, and leave out --cv");
  std::vector<Request> requests =
      changing_arrivals(read_rate_windows(flags.trace, flags.pool),
                        {.input = flags.input, .output = flags.output, .seed = flags.seed});
  if (requests.empty()) throw InputError(flags.trace, "", "contains no requests", "");
  const double first = requests.front().arrival;
  for (Request& request : requests) request.arrival -= first;
  return requests;
}

/// The demand of --trace; --rate rescales its times.
ServingDemand with_trace(const ServeFlags& flags, ServingDemand asked, Provenance& provenance) {
  std::vector<Request> trace = requests_of(flags);
  if (asked.rate == 0 && request_rate(trace) == 0)
    throw InputError(flags.trace, "", "all requests arrive at the same time, which gives no rate",
                     "set a rate: --rate 50/s");
  if (flags.prefix_hits > 0 && largest_cached_share(trace) > 0)
    throw InputError("", "--prefix-hits", "the trace already contains the prefixes of its prompts",
                     "leave it out");
  TracedDemand traced = traced_demand(std::move(asked), std::move(trace));
  provenance.notes.insert(provenance.notes.end(), traced.notes.begin(), traced.notes.end());
  return std::move(traced.demand);
}

ServingDemand demand_of(const ServeFlags& flags, Provenance& provenance) {
  ServingDemand demand{.rate = flags.rate.empty() ? 0 : rate_of(flags.rate),
                       .input = static_cast<double>(flags.input),
                       .output = static_cast<double>(flags.output),
                       .ttft = seconds_of(flags.ttft, "--ttft"),
                       .tpot = seconds_of(flags.tpot, "--tpot"),
                       .cv = flags.cv,
                       .seed = flags.seed,
                       .cached = flags.prefix_hits / 100};
  if (!flags.trace.empty()) return with_trace(flags, std::move(demand), provenance);
  if (!flags.pool.empty())
    throw InputError("", "--pool", "applies to a trace of requests", "add --trace FILE");
  if (demand.rate == 0)
    throw InputError("", "--rate", "is missing", "--rate 50/s, or --trace FILE");
  if (flags.input == 0) throw InputError("", "--input", "is missing", "--input 2000");
  if (flags.output == 0) throw InputError("", "--output", "is missing", "--output 300");
  return demand;
}

std::vector<ServingCandidate> candidates_of(const ServeFlags& flags, placement::Currency& currency,
                                            Provenance& provenance) {
  std::vector<ServingCandidate> candidates;
  const std::map<std::string, double> rents =
      placement::parse_rents(flags.price, flags.candidates, currency, "--price");
  placement::StepPredictor machines;
  for (const std::string& name : flags.candidates) {
    const placement::PredictedMachine& machine = machines.machine(name);
    const auto cluster = std::make_shared<const topology::Cluster>(
        topology::build_cluster(topology::read_cluster(name)));
    const int all = static_cast<int>(cluster->rank_count());
    if (flags.gpus > all)
      throw InputError("", "--gpus", fmt::format("{} has {} GPUs", name, all),
                       "use at most this number");
    ServingCandidate one{
        .cluster = name,
        .gpu = machine.gpu,
        .fabric = machine.fabric,
        .gpus = flags.gpus > 0 ? flags.gpus : all,
        .cluster_gpus = all,
        .between_nodes = std::make_shared<ClusterExchanges>(
            cluster, name, [](const topology::Cluster& on) { return engine_on(on, "flow"); }),
        .network = [cluster](const PoolLayout& layout) {
          return std::make_unique<FabricTransfers>(*cluster, layout);
        }};
    if (const auto rent = rents.find(name); rent != rents.end()) {
      one.price_per_hour = rent->second;
    } else if (machine.gpu.price && flags.calibrate.empty()) {
      one.price_per_hour = currency.amount(
          machine.gpu.price->per_hour, machine.gpu.price->currency,
          fmt::format("the price in the config of {}", machine.gpu.gpu.name), "--price");
      provenance.notes.push_back(placement::example_price_note(
          machine.gpu.gpu.name, one.price_per_hour, machine.gpu.price->currency));
    }
    candidates.push_back(std::move(one));
  }
  return candidates;
}

Speculation speculation_of(const ServeFlags& flags) {
  if (flags.draft_tokens == 0 && flags.acceptance > 0)
    throw InputError("", "--acceptance", "applies to speculative decoding", "add --draft-tokens 3");
  if (flags.draft_tokens == 0 && !flags.draft_model.empty())
    throw InputError("", "--draft-model", "applies to speculative decoding",
                     "add --draft-tokens 3");
  if (flags.draft_tokens > 0 && flags.acceptance == 0)
    throw InputError("", "--acceptance", "is required with --draft-tokens", "--acceptance 0.7");
  return {.tokens = flags.draft_tokens, .acceptance = flags.acceptance};
}

double swap_bytes_of(const ServeFlags& flags) {
  if (flags.swap_space.empty()) return 0;
  return static_cast<double>(
      flag_value(core::parse_bytes(flags.swap_space), "--swap-space", "16GiB").count());
}

Autoscale autoscale_of(const ServeFlags& flags) {
  if (flags.autoscale == 0) {
    if (flags.scale_target > 0)
      throw InputError("", "--scale-target", "applies to autoscaling", "add --autoscale 1");
    if (!flags.startup.empty())
      throw InputError("", "--startup", "applies to autoscaling", "add --autoscale 1");
    return {};
  }
  if (flags.trace.empty())
    throw InputError("", "--autoscale", "requires a load that changes over time",
                     "replay requests with --trace FILE");
  if (flags.disaggregate)
    throw InputError("", "--autoscale", "does not support separate pools for prompts and decoding",
                     "leave out --disaggregate");
  if (flags.scale_target == 0)
    throw InputError("", "--scale-target", "is required with --autoscale", "--scale-target 64");
  Autoscale scale{.least = flags.autoscale, .target = static_cast<double>(flags.scale_target)};
  if (!flags.startup.empty()) scale.startup = seconds_of(flags.startup, "--startup");
  return scale;
}

/// Restricts the splits to those of the flags. Throws InputError for values that no candidate
/// supports.
void set_splits(const ServeFlags& flags, ServingPlanRequest& request) {
  request.only_tp = flags.tp;
  request.only_ep = flags.ep;
  request.redundant_experts = flags.redundant_experts;
  const placement::Model& model = request.model;
  const bool has_wide = std::ranges::any_of(flags.ep, [](int ep) { return ep > 1; });
  if (!model.moe && has_wide)
    throw InputError("", "--ep", model.name + " has no experts", "leave it out");
  if (!model.moe && flags.redundant_experts)
    throw InputError("", "--redundant-experts", model.name + " has no experts", "leave it out");
  for (const int tp : flags.tp)
    if (model.heads % tp != 0 || (tp & (tp - 1)) != 0)
      throw InputError("", "--tp",
                       fmt::format("{} does not divide the {} attention heads", tp, model.heads),
                       "use powers of two up to the GPUs of a node");
  for (const int ep : flags.ep) {
    ServingPlanRequest one = request;
    one.only_ep = {ep};
    if (std::ranges::any_of(one.candidates, [&](const ServingCandidate& candidate) {
          return !splits(one, candidate).empty();
        }))
      continue;
    throw InputError("", "--ep", why_no_split(one, ep), "--ep 32, without --tp");
  }
  for (const ServingCandidate& candidate : request.candidates)
    if (splits(request, candidate).empty())
      throw InputError("", flags.tp.empty() ? "--ep" : "--tp",
                       fmt::format("no split of {} on {} GPUs of {} has these values", model.name,
                                   candidate.gpus, candidate.cluster),
                       "leave out --tp or --ep, or allow more --gpus");
}

}  // namespace

ServeRequest serve_request(const ServeFlags& flags, Provenance& provenance) {
  const auto model = std::make_shared<const placement::Model>(placement::read_model(flags.model));
  if (model->encoder || !model->towers.empty())
    throw InputError("", "--model", model->name + " is not a decoder-only model",
                     "choose a model without encoder");
  ServeRequest asked{.model = model,
                     .plan = {.model = *model, .demand = demand_of(flags, provenance)}};
  ServingPlanRequest& request = asked.plan;
  placement::Currency money;
  request.candidates = candidates_of(flags, money, provenance);
  asked.currency = money.name();
  const auto weights = enum_of<NumberFormat>(flags.weights);
  request.base = {.formats = {.attention = weights, .mlp = weights, .experts = weights},
                  .engine = enum_of<Engine>(flags.engine),
                  .graphs = !flags.no_graphs,
                  .token_budget = flags.token_budget,
                  .max_sequences = flags.max_sequences,
                  .speculation = speculation_of(flags),
                  .swap_bytes = swap_bytes_of(flags)};
  request.autoscale = autoscale_of(flags);
  if (!flags.draft_model.empty())
    asked.draft =
        std::make_shared<const placement::Model>(placement::read_model(flags.draft_model));
  request.draft = asked.draft.get();
  request.router = enum_of<RouterPolicy>(flags.router);
  request.disaggregate = flags.disaggregate;
  if (!flags.kv.empty()) request.base.formats.kv = enum_of<NumberFormat>(flags.kv);
  request.most_pp = flags.pp;
  set_splits(flags, request);
  request.efficiency = efficiency_of(flags, request.base.engine);
  if (request.efficiency) provenance.facts.emplace_back("efficiency", flags.efficiency);
  if (flags.margin) request.margin = *flags.margin / 100;
  return asked;
}

}  // namespace railyard::apps

#include "collectives/nccl/choice/chooser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/nccl/choice/analytic_choices.hpp"
#include "collectives/nccl/choice/nccl_choices.hpp"
#include "collectives/nccl/choice/requested_schedule.hpp"
#include "collectives/nccl/search/search.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/digest.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Checks that hold for every algorithm.
void check(const ChoiceRequest& request) {
  if (request.collective.root < request.group->size()) return;
  throw InputError("", "--root",
                   fmt::format("{} is not a position in a group of {} ranks",
                               request.collective.root, request.group->size()));
}

/// One line per algorithm, if all its protocols fail for the same reason.
InputError none_can_run(const ChoiceRequest& request, const std::vector<AlgorithmChoice>& choices) {
  std::vector<std::string> reasons;
  for (const AlgorithmChoice& choice : choices) {
    std::string reason = fmt::format("{}: {}", choice.algorithm,
                                     choice.why_not.empty() ? choice.no_schedule : choice.why_not);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  std::vector<Diagnostic> problems;
  for (std::string& reason : reasons)
    problems.push_back({"", "--algorithm", std::move(reason), ""});
  if (problems.size() > 1) {
    problems.insert(
        problems.begin(),
        {"", "--algorithm",
         fmt::format("no algorithm can do {} here", to_text(request.collective.kind)), ""});
  }
  return InputError(std::move(problems));
}

const AlgorithmChoice* chosen_of(const std::vector<AlgorithmChoice>& choices) {
  const auto found = std::ranges::find(choices, true, &AlgorithmChoice::chosen);
  return found == choices.end() ? nullptr : &*found;
}

/// NCCL's choice or, if no schedule supports it, the fastest choice that a schedule supports.
const AlgorithmChoice* runnable(const std::vector<AlgorithmChoice>& choices) {
  const AlgorithmChoice* best = nullptr;
  for (const AlgorithmChoice& choice : choices) {
    if (!choice.why_not.empty() || !choice.no_schedule.empty()) continue;
    if (best == nullptr || choice.time_us < best->time_us) best = &choice;
  }
  return best;
}

std::string replaced(const AlgorithmChoice& choice, const AlgorithmChoice& run) {
  return fmt::format("NCCL would choose {} {}, which is not modelled here ({}); {} {} runs instead",
                     choice.algorithm, to_text(choice.protocol), choice.no_schedule, run.algorithm,
                     to_text(run.protocol));
}

}  // namespace

struct Chooser::Known {
  std::vector<Rank> ranks;
  std::optional<Protocol> protocol;
  TuningModel model;
};

Chooser::Chooser(const topology::Cluster& cluster, Executor& analytic, NcclEnvironment environment)
    : cluster_(cluster),
      analytic_(analytic),
      environment_(std::move(environment)),
      search_(std::make_unique<CommunicatorSearch>(cluster_, environment_.search)) {}

Chooser::Chooser(Chooser&&) noexcept = default;
Chooser::~Chooser() = default;

Chooser Chooser::without_nccl(const topology::Cluster& cluster, Executor& analytic) {
  Chooser chooser(cluster, analytic, {});
  chooser.uses_nccl_ = false;
  return chooser;
}

const TuningModel& Chooser::model(const Group& group, std::optional<Protocol> protocol) {
  core::Fnv1a key;
  key.add(protocol ? static_cast<std::uint64_t>(*protocol) : ~std::uint64_t{0});
  for (const Rank rank : group.ranks()) key.add(rank.value());
  const auto [first, last] = known_.equal_range(key.value());
  for (auto entry = first; entry != last; ++entry) {
    const Known& known = *entry->second;
    if (known.protocol == protocol && std::ranges::equal(known.ranks, group.ranks()))
      return known.model;
  }
  TuningSettings settings = environment_.tuning;
  for (auto& row : settings.protocols) {
    if (protocol && row[index_of(*protocol)] != ProtocolUse::off)
      row[index_of(*protocol)] = ProtocolUse::on;
  }
  const auto added = known_.emplace(
      key.value(), std::make_unique<const Known>(
                       Known{{group.ranks().begin(), group.ranks().end()},
                             protocol,
                             make_tuning_model(search_->communicator(group),
                                               environment_.search.version, std::move(settings))}));
  return added->second->model;
}

// NCCL uses PXN if it is enabled. Otherwise it uses the sender's nearest NIC or, with
// NCCL_CROSS_NIC=0, the NIC on the receiver's rail (NCCL 2.30 src/graph/paths.cc,
// ncclTopoGetNetDev).
std::string_view Chooser::all_to_all_rule(const Group& group) const {
  if (group.nodes().size() == 1) return "direct";
  if (why_not(environment_, "rail_pxn").empty()) return "rail_pxn";
  return environment_.cross_nic == 0 ? "rail_direct" : "direct";
}

/// Whether NCCL's tuning model answers the request.
bool Chooser::is_tuned_here(const ChoiceRequest& request) const {
  return uses_nccl_ && is_tuned(request.collective.kind) &&
         (request.algorithm == "auto" ||
          core::parse_enum<TuningAlgorithm>(request.algorithm).value.has_value());
}

/// Sends and receives use as many channels as NCCL splits them into.
ChoiceRequest Chooser::with_p2p_channels(const ChoiceRequest& request) {
  ChoiceRequest result = request;
  const Kind kind = request.collective.kind;
  const auto ranks = static_cast<std::int64_t>(request.group->size());
  if (request.channels || !uses_nccl_ || is_tuned(kind) || ranks == 1) return result;
  const std::int64_t bytes = request.collective.bytes.count();
  result.channels =
      plan_p2p(model(*request.group).communicator, environment_.p2p,
               kind == Kind::all_to_all ? bytes / ranks : bytes, request.group->nodes().size() > 1)
          .channels;
  return result;
}

/// Marks the choice that NCCL makes without comparing times: its all_to_all, or the only allowed
/// choice.
void Chooser::mark_rule(const ChoiceRequest& request, std::vector<AlgorithmChoice>& choices) const {
  const bool has_rule = request.collective.kind == Kind::all_to_all && request.algorithm == "auto";
  const std::string_view rule = has_rule ? all_to_all_rule(*request.group) : "";
  for (AlgorithmChoice& choice : choices) {
    choice.chosen = choice.why_not.empty() && (!has_rule || choice.algorithm == rule);
    if (choice.chosen) return;
  }
}

std::vector<AlgorithmChoice> Chooser::choices(const ChoiceRequest& request) {
  check(request);
  if (is_tuned_here(request)) {
    auto choices = nccl_choices(setting(), model(*request.group, request.protocol), request);
    if (choice_for_registered(request))
      for (AlgorithmChoice& choice : choices) choice.chosen = false;
    return choices;
  }
  const ChoiceRequest asked = with_p2p_channels(request);
  std::vector<AlgorithmChoice> choices = analytic_choices(setting(), asked);
  add_costs(setting(), asked, analytic_, CostDetail::everything, choices);
  if (uses_nccl_ && !is_tuned(asked.collective.kind))
    mark_rule(asked, choices);
  else
    mark_fastest(choices);
  return choices;
}

std::optional<SymmetricEstimate> Chooser::choice_for_registered(const ChoiceRequest& request) {
  const bool names_algorithm =
      request.algorithm != "auto" || request.protocol.has_value() || request.channels.has_value();
  if (!environment_.registered || names_algorithm || !is_tuned_here(request)) return std::nullopt;
  return registered_choice(model(*request.group).communicator,
                           {.kind = request.collective.kind,
                            .bytes = request.collective.bytes.count(),
                            .type = request.collective.type,
                            .op = request.collective.op},
                           environment_.zero_ctas);
}

Schedule Chooser::chosen_schedule(const ChoiceRequest& request) {
  check(request);
  if (const auto kernel = choice_for_registered(request))
    return registered_schedule(setting(), request, *kernel);
  if (is_tuned_here(request)) {
    const std::vector<AlgorithmChoice> choices =
        nccl_choices(setting(), model(*request.group, request.protocol), request);
    if (const AlgorithmChoice* best = runnable(choices)) {
      const AlgorithmChoice& choice = *chosen_of(choices);
      if (best != &choice) notes_.insert(replaced(choice, *best));
      return nccl_schedule(setting(), request, *best);
    }
    if (request.algorithm == "auto") throw none_can_run(request, choices);
    // NCCL would not choose it, but the request names it.
  }
  const ChoiceRequest asked = with_p2p_channels(request);
  std::vector<AlgorithmChoice> choices = analytic_choices(setting(), asked);
  if (uses_nccl_ && !is_tuned(asked.collective.kind)) {
    mark_rule(asked, choices);
  } else {
    const auto allowed = [](const AlgorithmChoice& choice) { return choice.why_not.empty(); };
    if (std::ranges::count_if(choices, allowed) > 1)
      add_costs(setting(), asked, analytic_, CostDetail::time, choices);
    mark_fastest(choices);
  }
  const AlgorithmChoice* best = chosen_of(choices);
  if (best == nullptr) throw none_can_run(asked, choices);
  return requested_schedule(setting(), asked, best->algorithm, best->protocol);
}

}  // namespace railyard::collectives::nccl

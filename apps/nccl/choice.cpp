#include "apps/nccl/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/cli/schedule_request.hpp"
#include "apps/nccl/modelled_ways.hpp"
#include "apps/nccl/nccl_ways.hpp"
#include "collectives/nccl/search/search.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Protocol;
using collectives::Schedule;
using collectives::nccl::is_tuned;
using collectives::nccl::TuningAlgorithm;

/// What is wrong whatever the algorithm.
void check(const ChoiceRequest& asked) {
  if (asked.collective.root < asked.group->size()) return;
  throw InputError("", "--root",
                   fmt::format("{} is no position in a group of {} ranks", asked.collective.root,
                               asked.group->size()));
}

bool is_nccls(const std::string& algorithm) {
  return core::parse_enum<TuningAlgorithm>(algorithm).value.has_value();
}

/// What NCCL does without comparing times: its all-to-all, or the one way there is.
void mark_rule(const Chooser& chooser, const ChoiceRequest& asked, std::vector<Candidate>& ways) {
  const bool has_rule = asked.collective.kind == Kind::all_to_all && asked.algorithm == "auto";
  const std::string_view rule = has_rule ? chooser.all_to_all_rule(*asked.group) : "";
  for (Candidate& way : ways) {
    way.chosen = way.why_not.empty() && (!has_rule || way.algorithm == rule);
    if (way.chosen) return;
  }
}

/// One line per algorithm where all its protocols fail for one reason.
InputError none_can_run(const ChoiceRequest& asked, const std::vector<Candidate>& ways) {
  std::vector<std::string> reasons;
  for (const Candidate& way : ways) {
    std::string reason =
        fmt::format("{}: {}", way.algorithm, way.why_not.empty() ? way.no_schedule : way.why_not);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  std::vector<Diagnostic> problems;
  for (std::string& reason : reasons)
    problems.push_back({"", "--algorithm", std::move(reason), ""});
  if (problems.size() > 1) {
    problems.insert(
        problems.begin(),
        {"", "--algorithm",
         fmt::format("no algorithm can do {} here", to_text(asked.collective.kind)), ""});
  }
  return InputError(std::move(problems));
}

/// Sends and receives go over as many channels as NCCL splits them into.
ChoiceRequest with_p2p_channels(Chooser& chooser, const ChoiceRequest& asked) {
  ChoiceRequest request = asked;
  const Kind kind = asked.collective.kind;
  const auto ranks = static_cast<std::int64_t>(asked.group->size());
  if (asked.channels || !chooser.has_nccl() || is_tuned(kind) || ranks == 1) return request;
  const std::int64_t bytes = asked.collective.bytes.count();
  request.channels =
      plan_p2p(chooser.model(*asked.group).communicator, chooser.environment().p2p,
               kind == Kind::all_to_all ? bytes / ranks : bytes, asked.group->nodes().size() > 1)
          .channels;
  return request;
}

const Candidate* chosen_of(const std::vector<Candidate>& ways) {
  const auto found = std::ranges::find(ways, true, &Candidate::chosen);
  return found == ways.end() ? nullptr : &*found;
}

/// NCCL's choice, or the best of the others that we have a schedule for.
const Candidate* runnable(const std::vector<Candidate>& ways) {
  const Candidate* best = nullptr;
  for (const Candidate& way : ways) {
    if (!way.why_not.empty() || !way.no_schedule.empty()) continue;
    if (best == nullptr || way.time_us < best->time_us) best = &way;
  }
  return best;
}

std::string instead(const Candidate& choice, const Candidate& taken) {
  return fmt::format("NCCL would take {} {}, which is not modelled here ({}); {} {} is run",
                     choice.algorithm, to_text(choice.protocol), choice.no_schedule,
                     taken.algorithm, to_text(taken.protocol));
}

}  // namespace

struct Chooser::Known {
  std::vector<Rank> ranks;
  std::optional<Protocol> protocol;
  collectives::nccl::TuningModel model;
};

Chooser::Chooser(const topology::Cluster& cluster, collectives::Executor& analytic,
                 NcclEnvironment environment)
    : cluster_(cluster),
      analytic_(analytic),
      environment_(std::move(environment)),
      search_(
          std::make_unique<collectives::nccl::CommunicatorSearch>(cluster_, environment_.search)) {}

Chooser::Chooser(Chooser&&) noexcept = default;
Chooser::~Chooser() = default;

Chooser Chooser::without_nccl(const topology::Cluster& cluster, collectives::Executor& analytic) {
  Chooser chooser(cluster, analytic, {});
  chooser.has_nccl_ = false;
  return chooser;
}

const collectives::nccl::TuningModel& Chooser::model(const collectives::Group& group,
                                                     std::optional<Protocol> protocol) {
  using namespace collectives::nccl;
  for (const auto& known : known_) {
    if (known->protocol == protocol && std::ranges::equal(known->ranks, group.ranks()))
      return known->model;
  }
  TuningSettings settings = environment_.tuning;
  for (auto& row : settings.protocols) {
    if (protocol && row[index_of(*protocol)] != ProtocolUse::off)
      row[index_of(*protocol)] = ProtocolUse::on;
  }
  known_.push_back(std::make_unique<const Known>(
      Known{{group.ranks().begin(), group.ranks().end()},
            protocol,
            make_tuning_model(search_->communicator(group), environment_.search.version,
                              std::move(settings))}));
  return known_.back()->model;
}

// NCCL takes PXN where it is on; without, the NIC nearest to the sender, or with NCCL_CROSS_NIC=0
// the one on the peer's rail (NCCL 2.30 src/graph/paths.cc, ncclTopoGetNetDev).
std::string_view Chooser::all_to_all_rule(const collectives::Group& group) const {
  if (group.nodes().size() == 1) return "direct";
  if (why_not(environment_, "rail_pxn").empty()) return "rail_pxn";
  return environment_.cross_nic == 0 ? "rail_direct" : "direct";
}

std::vector<Candidate> Chooser::candidates(const ChoiceRequest& request) {
  check(request);
  const ChoiceRequest asked = with_p2p_channels(*this, request);
  const bool tuned = has_nccl_ && is_tuned(asked.collective.kind);
  if (tuned && (asked.algorithm == "auto" || is_nccls(asked.algorithm)))
    return nccl_ways(*this, asked);
  std::vector<Candidate> ways = modelled_ways(*this, asked);
  cost_ways(*this, asked, CostDetail::everything, ways);
  if (has_nccl_ && !tuned)
    mark_rule(*this, asked, ways);
  else
    mark_fastest(ways);
  return ways;
}

Schedule Chooser::chosen_schedule(const ChoiceRequest& request) {
  check(request);
  const ChoiceRequest asked = with_p2p_channels(*this, request);
  const bool tuned = has_nccl_ && is_tuned(asked.collective.kind);
  if (tuned && (asked.algorithm == "auto" || is_nccls(asked.algorithm))) {
    const std::vector<Candidate> ways = nccl_ways(*this, asked);
    if (const Candidate* best = runnable(ways)) {
      const Candidate& choice = *chosen_of(ways);
      if (best != &choice) notes_.insert(instead(choice, *best));
      return nccl_schedule(*this, asked, *best);
    }
    if (asked.algorithm == "auto") throw none_can_run(asked, ways);
    // NCCL would not take it; who asks for it by name shall see what it does.
  }
  std::vector<Candidate> ways = modelled_ways(*this, asked);
  if (has_nccl_ && !tuned) {
    mark_rule(*this, asked, ways);
  } else {
    const auto allowed = [](const Candidate& way) { return way.why_not.empty(); };
    if (std::ranges::count_if(ways, allowed) > 1) cost_ways(*this, asked, CostDetail::time, ways);
    mark_fastest(ways);
  }
  const Candidate* best = chosen_of(ways);
  if (best == nullptr) throw none_can_run(asked, ways);
  return built_way(*this, asked, best->algorithm, best->protocol);
}

}  // namespace railyard::apps

#include "sim/flow/independent_stage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim {

namespace {
// Symmetric sets need an array over all links for each hop of a set's path. With fewer transfers
// than this they cost as much as single streams.
constexpr std::uint64_t kFewestForSets = 4096;
constexpr std::uint64_t kTransfersPerLink = 4;

// Number of paths between two progress reports; a path takes about a microsecond.
constexpr std::uint32_t kPathsBetweenLooks = 4096;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
}  // namespace

void IndependentStage::begin(FlowState& state) {
  if (sequence_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("", "--gpus",
                     fmt::format("{} transfers at once are more than 2^32 - 1", sequence_.size()),
                     "simulate fewer ranks, or smaller groups");
  }
  begun_ = last_arrival_ = state.fluid.now();
  const auto count = static_cast<std::uint32_t>(sequence_.size());
  alpha_of_.resize(count);
  std::uint32_t begun = 0;
  if (may_use_sets(state)) {
    SymmetricTransfers sets(state.cluster);
    collect(state, sets);
    if (context_.pace) state.raise_capacities(context_.task);
    if (sets.size() == count && start_as_sets(state, sets)) return;
    state.fluid.reserve(count, 0);
    sets.for_each([&](std::uint32_t number, std::span<const topology::Hop> hops, double bytes) {
      launch(state, number, hops, bytes);
    });
    begun = static_cast<std::uint32_t>(sets.size());
  } else {
    if (state.paths_may_change) active_paths_.resize(count);
    state.fluid.reserve(count, 0);
  }
  for (std::uint32_t number = begun; number < count; ++number) start(state, number);
  if (context_.pace) state.raise_capacities(context_.task);
  if (open_ == 0) await_last(state);
}

bool IndependentStage::may_use_sets(const FlowState& state) const {
  return state.is_alone && !state.record_timeline && state.routes.is_even() &&
         sequence_.size() >= kFewestForSets &&
         sequence_.size() >= kTransfersPerLink * state.cluster.link_count();
}

/// Sorts transfers into symmetric sets, until a transfer shows that they are not symmetric.
void IndependentStage::collect(FlowState& state, SymmetricTransfers& sets) {
  bool useful = true;
  sequence_.for_each_step(
      [&](const collectives::Step& step, std::uint64_t iteration, std::uint64_t first) {
        for (std::uint64_t i = 0; i < step.size() && useful; ++i) {
          const auto transfer = step.at(i, iteration);
          const double bytes = route(state, static_cast<std::uint32_t>(first + i), transfer);
          if (bytes == 0) {
            sets.skip();
          } else {
            useful = sets.add(scratch_, bytes, alphas_[alpha_of_[first + i]]);
          }
        }
      });
}

/// Starts all transfers as symmetric sets. Returns false if the engine cannot prove that they are
/// symmetric.
bool IndependentStage::start_as_sets(FlowState& state, SymmetricTransfers& sets) {
  const auto started = state.fluid.add_symmetric(sets.stream_sets(state.numbers));
  if (!started) return false;
  for (const auto& set : sets.sets()) {
    const auto item = static_cast<std::uint32_t>(sets_.size());
    state.own(StreamId(started->value() + item),
              {.channel = context_.number, .item = item, .task = context_.task});
    sets_.push_back({set.alpha, set.first});
  }
  alpha_of_ = {};
  open_ = sets_.size();
  // A set cannot have a rate cap. Nothing else runs, so the end that the pace requires is set
  // directly.
  if (context_.pace)
    last_arrival_ = begun_ + context_.pace->seconds + context_.pace->latency.seconds();
  return true;
}

void IndependentStage::start(FlowState& state, std::uint32_t number) {
  const double bytes = route(state, number, sequence_[number]);
  if (bytes > 0) launch(state, number, scratch_, bytes);
}

/// Writes the path of a transfer, with shares of wire bytes, to scratch_ and returns the transfer's
/// bytes. A transfer without bytes arrives after its alpha.
double IndependentStage::route(FlowState& state, std::uint32_t number,
                               const collectives::Transfer& transfer) {
  if (number % kPathsBetweenLooks == 0 &&
      !state.goes_on(RunProgress::Phase::paths,
                     static_cast<double>(number) / static_cast<double>(sequence_.size())))
    throw Stopped();
  scratch_.clear();
  state.routes.append(context_.schedule, transfer, context_.label, scratch_);
  const Time alpha = context_.pace ? context_.pace->latency : context_.alpha.of(scratch_);
  alpha_of_[number] = number_of(alpha);
  const auto bytes =
      static_cast<double>(context_.schedule.bytes(context_.channel, transfer).count());
  if (bytes == 0) last_arrival_ = std::max(last_arrival_, begun_ + alpha.seconds());
  if (context_.pace) state.note_demand(context_, transfer, scratch_, context_.pace->rate(bytes));
  weigh(scratch_, state.cluster, context_.wire);
  return bytes;
}

void IndependentStage::launch(FlowState& state, std::uint32_t number,
                              std::span<const topology::Hop> hops, double bytes) {
  ++open_;
  const FlowState::Owner owner{.channel = context_.number, .item = number, .task = context_.task};
  const double most = context_.pace ? context_.pace->rate(bytes) : kNoLimit;
  const StreamId stream = state.start(hops, bytes, owner, most);
  if (state.paths_may_change) active_paths_[number] = {stream, {hops.begin(), hops.end()}};
}

std::uint16_t IndependentStage::number_of(Time alpha) {
  const auto found = std::find(alphas_.rbegin(), alphas_.rend(), alpha);
  if (found != alphas_.rend()) return static_cast<std::uint16_t>(alphas_.rend() - found - 1);
  assert(alphas_.size() < std::numeric_limits<std::uint16_t>::max());
  alphas_.push_back(alpha);
  return static_cast<std::uint16_t>(alphas_.size() - 1);
}

void IndependentStage::stream_ends(FlowState& state, std::uint32_t number) {
  const double now = state.fluid.now();
  const Time alpha = sets_.empty() ? alphas_[alpha_of_[number]] : sets_[number].alpha;
  last_arrival_ = std::max(last_arrival_, now + alpha.seconds());
  if (state.paths_may_change) active_paths_[number] = {};
  if (state.record_timeline) {
    const auto transfer = sequence_[number];
    state.timeline.push_back({fmt::format("{} / {}", context_.track, transfer.source),
                              describe(number), Time::from_seconds(begun_),
                              Time::from_seconds(now) + alpha,
                              context_.schedule.bytes(context_.channel, transfer)});
  }
  if (--open_ == 0) await_last(state);
}

void IndependentStage::await_last(FlowState& state) {
  state.events.push(
      {.time = last_arrival_, .kind = FlowEvent::Kind::stage_arrives, .channel = context_.number});
}

void IndependentStage::reroute(FlowState& state, std::span<const LinkId> failed) {
  for (std::uint32_t number = 0; number < active_paths_.size(); ++number) {
    ActivePath& path = active_paths_[number];
    const bool hit = !path.stream.is_none() &&
                     std::any_of(path.hops.begin(), path.hops.end(), [&](const topology::Hop& hop) {
                       return std::find(failed.begin(), failed.end(), hop.link) != failed.end();
                     });
    if (!hit) continue;
    path.hops.clear();
    state.routes.append(context_.schedule, sequence_[number], context_.label, path.hops);
    if (!context_.pace) alpha_of_[number] = number_of(context_.alpha.of(path.hops));
    weigh(path.hops, state.cluster, context_.wire);
    state.reroute(path.stream, path.hops);
  }
}

std::string IndependentStage::describe(std::uint32_t number) const {
  const auto transfer = sequence_[sets_.empty() ? number : sets_[number].first];
  return fmt::format("{} {} -> {}", sets_.empty() ? "transfer" : "transfers like", transfer.source,
                     transfer.destination);
}

}  // namespace railyard::sim

#include "sim/maxmin/fluid.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/equitable_partition.hpp"
#include "sim/maxmin/fluid_core.hpp"
#include "sim/maxmin/symmetric_partition.hpp"

namespace railyard::sim {

namespace {
// Folding reads all hops a few times. It only pays for many streams in few classes.
constexpr std::size_t kFewestToFold = 32;
constexpr std::size_t kStreamsPerClass = 8;
// To merge k sorted runs one by one reads the first of them k times; with more runs sorting is
// faster.
constexpr std::size_t kFewToMerge = 8;
}  // namespace

/// Streams run in `core`. While all streams have started together and nothing else has changed,
/// their classes may run in `folded` instead; `core` then only stores the streams and receives the
/// results.
class Fluid::State {
 public:
  State(std::vector<double> capacities, FluidOptions options)
      : core(std::move(capacities), options), options_(options) {}

  struct Folded {
    Folded(Quotient folding, const FluidOptions& options)
        : quotient(std::move(folding)), core(quotient.capacities, options) {}
    Quotient quotient;
    FluidCore core;
    LargeVector<Slot> members;                ///< slots by class
    std::vector<std::uint32_t> first_member;  ///< by class, and the end
  };

  void solve() {
    if (!(folded ? folded->core : core).solver().is_dirty()) return;
    ++solutions;
    if (folded) {
      folded->core.solve();
    } else if (!try_to_fold()) {
      core.solve();
    }
  }

  bool try_to_fold() {
    const std::size_t count = core.active();
    if (options_.folding == Shortcut::never || !core.is_all_pending() || count < kFewestToFold)
      return false;
    if (skip_ > 0) {
      --skip_;
      return false;
    }
    auto quotient =
        equitable_partition(core.table(), core.left_by_slot(), count / kStreamsPerClass);
    if (!quotient) {
      backoff_.fail();
      skip_ = backoff_.wait();
      return false;
    }
    backoff_.succeed();
    fold(std::move(*quotient), count);
    return true;
  }

  void fold(Quotient quotient, std::uint64_t streams) {
    const std::size_t classes = quotient.representative.size();
    folded.emplace(std::move(quotient), options_);
    const Quotient& q = folded->quotient;
    folded->core.set_now(core.now());
    for (std::size_t c = 0; c < classes; ++c) {
      const Slot like = q.representative[c];
      const Slot slot = folded->core.add({q.hops[c], core.left(like)});
      assert(slot == c);
      (void)slot;
    }
    folded->core.solve();
    folded_streams += streams;
    folded_classes += classes;
  }

  /// Implements Fluid::add_symmetric.
  std::optional<Slot> add_symmetric(std::span<const SymmetricStreams> sets) {
    if (options_.folding == Shortcut::never || core.active() > 0 || sets.empty())
      return std::nullopt;
    std::vector<double> weights;
    bool all_one = true;
    for (const SymmetricStreams& set : sets) {
      if (set.streams == 0 || !(set.bytes > 0) || set.leg_ends.empty()) return std::nullopt;
      for (const Crossing& crossing : set.crossings) {
        weights.push_back(core.in_unit(crossing.link.value(), crossing.share));
        all_one = all_one && weights.back() == 1.0;
      }
    }
    if (all_one) weights.clear();
    auto quotient = symmetric_partition(sets, weights, core.table().capacity);
    if (!quotient) return std::nullopt;
    std::uint64_t streams = 0;
    for (const SymmetricStreams& set : sets) {
      add_first_of(set);
      streams += set.streams;
    }
    symmetric_sets += sets.size();
    runs_sets_ = true;
    fold(std::move(*quotient), streams);
    ++solutions;
    return static_cast<Slot>(0);
  }

  /// Adds to `core` one stream that represents the set; it crosses the first link of every leg.
  void add_first_of(const SymmetricStreams& set) {
    hops_.clear();
    std::size_t first = 0;
    for (const std::uint32_t end : set.leg_ends) {
      hops_.push_back({set.crossings[first].link, set.crossings[first].share});
      first = end;
    }
    core.add({.hops = hops_, .bytes = set.bytes});
  }

  void list_members() {
    const auto live = core.table().live();
    const auto& class_of = folded->quotient.class_of_slot;
    const std::size_t classes = folded->quotient.representative.size();
    auto& first = folded->first_member;
    first.assign(classes + 1, 0);
    for (const Slot slot : live) ++first[class_of[slot] + 1];
    for (std::size_t c = 0; c < classes; ++c) first[c + 1] += first[c];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    folded->members.resize(live.size());
    for (const Slot slot : live) folded->members[next[class_of[slot]]++] = slot;
    for (std::size_t c = 0; c < classes; ++c) {  // live() is in order unless slots were reused
      const auto begin = folded->members.begin() + first[c];
      const auto end = folded->members.begin() + first[c + 1];
      if (!std::is_sorted(begin, end)) std::sort(begin, end);
    }
  }

  /// The streams of a class, in ascending order.
  [[nodiscard]] std::span<const Slot> members(Slot of_class) {
    if (folded->first_member.empty()) list_members();
    return std::span<const Slot>(folded->members)
        .subspan(folded->first_member[of_class],
                 folded->first_member[of_class + 1] - folded->first_member[of_class]);
  }

  /// Bytes that the folded problem has carried over each link of a class, in the core's units.
  [[nodiscard]] double carried_folded(LinkIndex link) {
    if (!folded || folded->quotient.class_of_link[link] == kNoLink) return 0;
    return folded->core.carried(folded->quotient.class_of_link[link]);
  }

  void count_carried() {
    early.append(folded->core.early());
    for (const LinkIndex link : folded->quotient.links)
      core.add_carried(link, carried_folded(link));
  }

  /// Ends folding: brings the state of `core` up to date, which then continues alone.
  void unfold() {
    if (!folded) return;
    if (runs_sets_) throw std::logic_error("streams or capacities change while symmetric sets run");
    count_carried();
    core.start_byte_counts();
    for (const Slot slot : core.table().live()) {
      core.set_progress(slot, folded->core.left(folded->quotient.class_of_slot[slot]));
    }
    folded.reset();
  }

  /// Writes the streams of completed classes to `ended`, in ascending order.
  void expand(std::span<const Slot> classes) {
    ended.clear();
    if (folded->core.active() == 0 && folded->first_member.empty()) {
      const auto live = core.table().live();
      ended.assign(live.begin(), live.end());
      if (!std::is_sorted(ended.begin(), ended.end())) std::sort(ended.begin(), ended.end());
      return;
    }
    for (const Slot c : classes) {  // each class is sorted
      const auto slots = members(c);
      const auto middle = static_cast<std::ptrdiff_t>(ended.size());
      ended.insert(ended.end(), slots.begin(), slots.end());
      if (classes.size() <= kFewToMerge)
        std::inplace_merge(ended.begin(), ended.begin() + middle, ended.end());
    }
    if (classes.size() > kFewToMerge) std::sort(ended.begin(), ended.end());
  }

  std::span<const Slot> advance(double until) {
    solve();
    if (!folded) return core.advance(until);
    const auto classes = folded->core.advance(until);
    core.set_now(folded->core.now());
    expand(classes);
    if (folded->core.active() == 0) {
      count_carried();
      folded.reset();
      runs_sets_ = false;
    }
    core.finish_pending(ended);
    return ended;
  }

  FluidCore core;
  std::optional<Folded> folded;
  LargeVector<Slot> ended;
  LargeVector<StreamId> completed;
  std::uint64_t folded_streams = 0, folded_classes = 0, symmetric_sets = 0;
  std::uint64_t solutions = 0;
  CoalescingError early;  ///< of folded problems that are over
  [[nodiscard]] bool coalesces() const { return options_.coalesce > 0; }

 private:
  FluidOptions options_;
  std::uint32_t skip_ = 0;
  Backoff backoff_;
  bool runs_sets_ = false;  ///< what runs in `folded` is of add_symmetric()
  std::vector<topology::Hop> hops_;
};

Fluid::Fluid(std::vector<double> capacities, FluidOptions options)
    : state_(std::make_unique<State>(std::move(capacities), options)) {}
Fluid::~Fluid() = default;
Fluid::Fluid(Fluid&&) noexcept = default;

double Fluid::now() const { return state_->core.now(); }

void Fluid::reserve(std::size_t streams, std::size_t hops) { state_->core.reserve(streams, hops); }

StreamId Fluid::add(const Stream& stream) {
  state_->unfold();
  return StreamId(state_->core.add(stream));
}

std::optional<StreamId> Fluid::add_symmetric(std::span<const SymmetricStreams> sets) {
  const auto first = state_->add_symmetric(sets);
  if (!first) return std::nullopt;
  return StreamId(*first);
}

void Fluid::reroute(StreamId stream, std::span<const topology::Hop> hops) {
  state_->unfold();
  state_->core.reroute(stream.value(), hops);
}

void Fluid::set_capacity(LinkId link, double bytes_per_second) {
  state_->unfold();
  state_->core.set_capacity(link.value(), bytes_per_second);
}

std::span<const StreamId> Fluid::advance(double until) {
  const auto slots = state_->advance(until);
  state_->completed.clear();
  for (const Slot slot : slots) state_->completed.emplace_back(slot);
  return state_->completed;
}

std::size_t Fluid::active() const { return state_->core.active(); }

double Fluid::rate(StreamId stream) {
  State& state = *state_;
  state.solve();
  if (!state.core.is_running(stream.value())) return 0;
  if (!state.folded) return state.core.rate(stream.value());
  return state.folded->core.rate(state.folded->quotient.class_of_slot[stream.index()]);
}

double Fluid::carried(LinkId link) const {
  State& state = *state_;
  if (!state.folded) return state.core.carried(link.value());
  const double bytes = state.core.counted(link.value()) + state.carried_folded(link.value());
  return bytes * state.core.unit(link.value());
}

LinkId Fluid::bottleneck(StreamId stream) {
  State& state = *state_;
  state.solve();
  if (!state.core.is_running(stream.value())) return LinkId::none();
  LinkIndex held = kNoLink;
  if (!state.folded) {
    held = state.core.bottleneck(stream.value());
  } else {
    const Quotient& quotient = state.folded->quotient;
    const LinkIndex by = state.folded->core.bottleneck(quotient.class_of_slot[stream.index()]);
    const auto links = state.core.table().links(stream.value());
    const auto found = std::find_if(links.begin(), links.end(),
                                    [&](LinkIndex l) { return quotient.class_of_link[l] == by; });
    held = found == links.end() ? kNoLink : *found;
  }
  return state.core.is_cap(held) ? LinkId::none() : LinkId(held);
}

std::uint64_t Fluid::solution() {
  state_->solve();
  return state_->solutions;
}

FluidCounts Fluid::counts() const {
  const auto& solver = state_->core.solver().counts();
  const auto coupled = state_->core.coupled_counts();
  FluidCounts counts{.full = solver.full,
                     .partial = solver.dense,
                     .local = solver.local,
                     .unchanged = solver.unchanged,
                     .level_solves = coupled.solves,
                     .level_passes = coupled.passes,
                     .prunings = state_->core.prunings().times,
                     .pruned_links = state_->core.prunings().links,
                     .equal_starts = state_->core.one_solve_batches(),
                     .folded_streams = state_->folded_streams,
                     .folded_classes = state_->folded_classes,
                     .symmetric_sets = state_->symmetric_sets,
                     .merges = state_->coalesces(),
                     .early = state_->core.early()};
  counts.early.append(state_->early);
  if (state_->folded) counts.early.append(state_->folded->core.early());
  return counts;
}

std::string Fluid::describe() const { return to_text(counts()); }

}  // namespace railyard::sim

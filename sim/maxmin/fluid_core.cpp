#include "sim/maxmin/fluid_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "sim/maxmin/certificate.hpp"

namespace railyard::sim {

namespace {
// Completions with a smaller relative difference in time are one event.
constexpr double kSameInstant = 1e-12;
}  // namespace

FluidCore::FluidCore(std::vector<double> capacities, FluidOptions options)
    : table_(std::move(capacities)),
      caps_(table_),
      solver_(table_),
      options_(options),
      pruning_(options.pruning),
      carried_(table_.link_count(), 0.0),
      unit_(table_.link_count(), 0.0) {}

std::span<const topology::Hop> FluidCore::in_units(std::span<const topology::Hop> hops) {
  scratch_.assign(hops.begin(), hops.end());
  for (topology::Hop& hop : scratch_) hop.share = in_unit(hop.link.value(), hop.share);
  return scratch_;
}

/// Whether all shares equal the units of their links.
bool FluidCore::is_plain(std::span<const topology::Hop> hops) const {
  std::uint64_t differs = 0;
  for (const topology::Hop& hop : hops) {
    const double unit = unit_[hop.link.index()];
    differs |= std::bit_cast<std::uint64_t>(hop.share) ^ std::bit_cast<std::uint64_t>(unit);
    differs |= static_cast<std::uint64_t>(unit == 0);  // the link has no unit yet
  }
  return differs == 0;
}

double FluidCore::in_unit(LinkIndex link, double share) {
  double& unit = unit_[link];
  if (unit == 0) {
    unit = share;
    table_.capacity[link] /= share;
  }
  return unit == share ? 1.0 : share / unit;
}

std::span<const topology::Hop> FluidCore::with_cap(std::span<const topology::Hop> hops,
                                                   LinkIndex cap) {
  if (cap == kNoLink) return hops;
  carried_.resize(table_.link_count(), 0.0);
  unit_.resize(table_.link_count(), 1.0);
  if (hops.data() != scratch_.data()) scratch_.assign(hops.begin(), hops.end());
  scratch_.push_back({LinkId(cap), 1.0});
  return scratch_;
}

void FluidCore::erase(std::span<const Slot> slots) {
  caps_.give_back(slots);
  table_.erase(slots);
  if (table_.live().empty()) pruning_.forget();
}

void FluidCore::reserve(std::size_t streams, std::size_t hops) {
  table_.reserve(streams, hops);
  make_room(left_, streams);
}

Slot FluidCore::add(const Stream& stream) {
  if (one_solve_) end_one_solve();
  const LinkIndex cap = caps_.take(stream.rate_cap);
  pruning_.cap_taken(cap);
  const Slot slot = cap == kNoLink && is_plain(stream.hops)
                        ? table_.insert_plain(stream.hops)
                        : table_.insert(with_cap(in_units(stream.hops), cap));
  const double bytes = std::max(stream.bytes, 0.0);
  if (slot == left_.size()) {
    left_.push_back(bytes);
  } else {
    left_[slot] = bytes;
    if (slot < since_.size()) {
      unflushed_[slot] = bytes;
      since_[slot] = now_;
    }
  }
  queue_.set(slot, bytes == 0 ? now_ : CompletionQueue::kNever);
  solver_.mark_dirty();
  return slot;
}

void FluidCore::start_byte_counts() {
  table_.make_states();
  const std::size_t slots = table_.slot_count();
  if (since_.size() >= slots) return;
  unflushed_.insert(unflushed_.end(),
                    left_.begin() + static_cast<std::ptrdiff_t>(unflushed_.size()),
                    left_.begin() + static_cast<std::ptrdiff_t>(slots));
  since_.resize(slots, now_);  // time does not advance between add() and the next solve
}

void FluidCore::reroute(Slot slot, std::span<const topology::Hop> hops) {
  if (one_solve_) end_one_solve();
  start_byte_counts();
  record_progress(slot);
  flush(slot);
  release(slot);
  table_.replace_hops(slot, with_cap(in_units(hops), caps_.of(slot)));
}

void FluidCore::set_capacity(LinkIndex link, double bytes_per_second) {
  if (one_solve_) end_one_solve();
  const double before = table_.capacity[link];
  const double now = unit_[link] == 0 ? bytes_per_second : bytes_per_second / unit_[link];
  if (before == now) return;
  table_.capacity[link] = now;
  pruning_.capacity_changed(link, before, now);
  if (coupled_) {
    coupled_->capacity_changed(link);
    solver_.mark_dirty();
  } else {
    solver_.capacity_changed(link, before);
  }
}

bool FluidCore::is_running(Slot slot) const {
  return table_.is_live(slot) && (!one_solve_ || left_[slot] > 0);
}

double FluidCore::left(Slot slot) const {
  if (left_[slot] == 0) return 0;
  if (slot >= table_.state.size() || slot >= since_.size()) return left_[slot];  // not solved yet
  if (coupled_ && coupled_->knows(slot)) return coupled_->left(slot);
  if (coupled_) return left_[slot];  // it starts with the next solve
  return std::max(0.0, left_[slot] - table_.state[slot].rate * (now_ - since_[slot]));
}

void FluidCore::record_progress(Slot slot) {
  left_[slot] = left(slot);
  since_[slot] = now_;
}

void FluidCore::schedule(Slot slot) {
  const double rate = table_.state[slot].rate;
  if (left_[slot] <= 0 || std::isinf(rate)) {
    queue_.set(slot, now_);
  } else {
    queue_.set(slot, rate > 0 ? now_ + left_[slot] / rate : CompletionQueue::kNever);
  }
}

void FluidCore::solve() {
  if (!solver_.is_dirty()) return;
  start_byte_counts();
  if (pruning_.is_on() && !pruning_.goes_on(table_, caps_.first())) return end_pruning();
  if (coupled_ && coupled_->solve(left_, options_.levels == Shortcut::always)) {
    solver_.mark_clean();
    if (coupled_->is_dense() && !tried_pruning_) prune_coupled();
  } else if (coupled_) {
    end_coupled();
  } else {
    solve_apart();
  }
  if (options_.certify) certify();
}

void FluidCore::solve_apart() {
  const bool together = starts_together();
  solver_.solve();
  together ? begin_one_solve() : note_changes();
  if (calls_for_levels()) {
    begin_coupled();
  } else if (!one_solve_ && !pruning_.is_on() &&
             pruning_.pays(table_.live().size(), solver_.counts().streams_filled)) {
    begin_pruning();
  }
}

bool FluidCore::calls_for_levels() {
  if (options_.levels == Shortcut::never || one_solve_ || !CoupledLevels::suits(table_))
    return false;
  if (options_.levels == Shortcut::always) return true;
  if (!solver_.is_coupled()) return false;
  if (coupled_wait_ == 0) return true;
  --coupled_wait_;
  return false;
}

void FluidCore::begin_pruning() {
  record_all_progress();
  if (!pruning_.begin(table_, solver_.counts().streams_filled)) return;
  solver_.fill_from_scratch();
  note_changes();
}

void FluidCore::end_pruning() {
  record_all_progress();
  if (coupled_) leave_coupled();
  pruning_.end(table_, solver_.counts().streams_filled);
  solver_.fill_from_scratch();
  note_changes();
  if (options_.certify) certify();
}

void FluidCore::begin_coupled() {
  record_all_progress();
  tried_pruning_ = pruning_.is_on() || !pruning_.is_allowed();
  solver_.fill_from_scratch();
  coupled_.emplace(table_, solver_.saturated(), left_);
}

void FluidCore::prune_coupled() {
  record_all_progress();
  leave_coupled();
  tried_pruning_ = true;
  (void)pruning_.begin(table_, solver_.counts().streams_filled);
  solver_.fill_from_scratch();
  coupled_.emplace(table_, solver_.saturated(), left_);
}

void FluidCore::leave_coupled() {
  coupled_counts_ = coupled_counts();
  if (coupled_->gave_up())
    coupled_backoff_.fail();
  else
    coupled_backoff_.succeed();
  coupled_wait_ = coupled_backoff_.wait() - 1;
  coupled_.reset();
}

void FluidCore::end_coupled() {
  record_all_progress();
  leave_coupled();
  solver_.fill_from_scratch();
  note_changes();
}

FluidCore::CoupledCounts FluidCore::coupled_counts() const {
  if (!coupled_) return coupled_counts_;
  return {coupled_counts_.solves + coupled_->solves(), coupled_counts_.passes + coupled_->passes()};
}

void FluidCore::release(Slot slot) {
  if (coupled_) {
    coupled_->release(slot);
    solver_.mark_dirty();
  } else {
    solver_.release(slot);
  }
}

void FluidCore::certify() {
  if (coupled_) coupled_->write_rates();
  const std::string problem = check_certificate(table_);
  if (!problem.empty()) throw std::logic_error("max-min certificate: " + problem);
}

void FluidCore::note_changes() {
  if (solver_.was_dense()) queue_.drop_heap();
  const auto changed = solver_.changed();
  queue_.reserve(table_.slot_count());
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const Slot slot = changed[i];
    const double before = solver_.before(i).rate;
    if (table_.state[slot].rate == before && before > 0) continue;
    left_[slot] = std::max(0.0, left_[slot] - before * (now_ - since_[slot]));
    since_[slot] = now_;
    schedule(slot);
  }
}

bool FluidCore::starts_together() const {
  const auto live = table_.live();
  if (!is_all_pending() || live.size() < 2) return false;
  const double bytes = left_[live.front()];
  return bytes > 0 && std::all_of(live.begin(), live.end(), [&](Slot slot) {
           return left_[slot] == bytes && since_[slot] == now_;
         });
}

/// Streams of equal size end in the order of decreasing rates, which is about the reverse order of
/// filling.
void FluidCore::begin_one_solve() {
  one_solve_ = true;
  ++one_solve_batches_;
  batch_begun_ = now_;
  batch_bytes_ = left_[table_.live().front()];
  const bool all_fixed = solver_.fixed().size() == table_.live().size();
  const auto slots = all_fixed ? solver_.fixed() : table_.live();
  order_.assign(slots.rbegin(), slots.rend());
  sort_nearly_sorted(order_,
                     [&](Slot a, Slot b) { return table_.state[a].rate > table_.state[b].rate; });
  next_ = 0;
  flushed_ = false;
}

double FluidCore::finish_in_one_solve(Slot slot) const {
  const double rate = table_.state[slot].rate;
  return rate > 0 ? batch_begun_ + batch_bytes_ / rate : CompletionQueue::kNever;
}

void FluidCore::end_one_solve() {
  one_solve_ = false;
  queue_.drop_heap();
  if (next_ == order_.size() && order_.size() * 4 >= table_.link_count()) {
    end_all_of_one_solve();
  } else {
    const auto ended = std::span<const Slot>(order_).first(next_);
    for (const Slot slot : ended) {
      flush(slot);
      solver_.release(slot);
    }
    for (const Slot slot : std::span<const Slot>(order_).subspan(next_))
      queue_.set(slot, finish_in_one_solve(slot));
    erase(ended);
  }
  next_ = 0;
  solver_.mark_dirty();
}

/// Ends all streams of the batch. Counts their bytes by link instead of by stream if possible.
void FluidCore::end_all_of_one_solve() {
  if (table_.is_weighted() || flushed_) {
    for (const Slot slot : order_) flush(slot);
  } else {
    for (LinkIndex link = 0; link < table_.link_count(); ++link)
      carried_[link] += static_cast<double>(table_.members(link).size()) * batch_bytes_;
  }
  solver_.release_all();
  erase(order_);
}

std::span<const Slot> FluidCore::advance(double until) {
  solve();
  completed_.clear();
  if (one_solve_) return advance_one_solve(until);
  if (coupled_) return advance_coupled(until);
  const double first = std::max(now_, queue_.earliest(table_.live()));
  if (std::isinf(first) && std::isinf(until)) return {};
  if (first > until) {
    now_ = until;
    return {};
  }
  now_ = first;
  const double slack = std::max(options_.coalesce, first * kSameInstant);
  queue_.take_until(first + slack, table_.live(), completed_);
  if (options_.coalesce > 0) note_early(completed_);
  sort_slots_(completed_, table_.slot_count());
  retire(completed_);
  return completed_;
}

std::span<const Slot> FluidCore::advance_coupled(double until) {
  const double wait = coupled_->next();
  if (std::isinf(wait) && std::isinf(until)) return {};
  if (now_ + wait > until) {
    coupled_->advance(until - now_);
    now_ = until;
    return {};
  }
  const double slack = std::max(options_.coalesce, (now_ + wait) * kSameInstant);
  const CoalescingError early = coupled_->take_until(wait, wait + slack, completed_);
  if (options_.coalesce > 0) early_.add_batch(early);
  coupled_->advance(wait);
  now_ += wait;
  sort_slots_(completed_, table_.slot_count());
  retire(completed_);
  return completed_;
}

void FluidCore::note_early(std::span<const Slot> slots) {
  CoalescingError batch;
  for (const Slot slot : slots) {
    const double rate = table_.state[slot].rate;
    if (rate > 0) batch.add_stream(left(slot) / rate, rate);
  }
  early_.add_batch(batch);
}

std::span<const Slot> FluidCore::advance_one_solve(double until) {
  const double first =
      next_ < order_.size() ? finish_in_one_solve(order_[next_]) : CompletionQueue::kNever;
  if (std::isinf(first) && std::isinf(until)) return {};
  if (first > until) {
    now_ = until;
    return {};
  }
  now_ = first;
  const double limit = first + std::max(options_.coalesce, first * kSameInstant);
  double rate = -1;
  for (; next_ < order_.size(); ++next_) {
    const Slot slot = order_[next_];
    if (table_.state[slot].rate != rate) {
      if (finish_in_one_solve(slot) > limit) break;
      rate = table_.state[slot].rate;
    }
    completed_.push_back(slot);
  }
  if (options_.coalesce > 0) note_early(completed_);
  for (const Slot slot : completed_) left_[slot] = 0;
  flushed_until_ = -1;
  sort_slots_(completed_, table_.slot_count());
  if (next_ == order_.size()) end_one_solve();
  return completed_;
}

void FluidCore::retire(std::span<const Slot> slots) {
  for (const Slot slot : slots) {
    left_[slot] = 0;
    flush(slot);
    queue_.remove(slot);
    release(slot);
  }
  erase(slots);
}

void FluidCore::set_progress(Slot slot, double left) {
  left_[slot] = unflushed_[slot] = left;
  since_[slot] = now_;
}

void FluidCore::finish_pending(std::span<const Slot> slots) {
  for (const Slot slot : slots) {
    left_[slot] = 0;
    if (slot < since_.size()) set_progress(slot, 0);
    queue_.remove(slot);
  }
  caps_.give_back(slots);
  table_.erase_pending(slots);
  if (table_.live().empty()) pruning_.forget();
}

void FluidCore::flush(Slot slot) {
  if (slot >= unflushed_.size()) return;
  const double left_now = left(slot);
  const double sent = unflushed_[slot] - left_now;
  if (sent <= 0) return;
  unflushed_[slot] = left_now;
  const auto links = table_.all_links(slot);
  const double* const weights = table_.weights(slot);
  for (std::size_t i = 0; i < links.size(); ++i) {
    carried_[links[i]] += (weights != nullptr ? weights[i] : 1.0) * sent;
  }
}

void FluidCore::flush_all() {
  if (flushed_until_ == now_) return;
  flushed_until_ = now_;
  flushed_ = true;
  for (const Slot slot : table_.live()) flush(slot);
}

double FluidCore::carried(LinkIndex link) {
  // The lists of links contain streams that have ended, or lack streams that cross hidden links.
  if (one_solve_ || pruning_.is_on()) {
    flush_all();
  } else if (flushed_until_ != now_) {
    for (const Slot slot : table_.members(link)) flush(slot);
  }
  return carried_[link] * unit_[link];
}

}  // namespace railyard::sim

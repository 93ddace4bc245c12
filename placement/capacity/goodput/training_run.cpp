#include "placement/capacity/goodput/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/diagnostic.hpp"
#include "placement/capacity/goodput/failure_source.hpp"
#include "placement/capacity/goodput/node_pool.hpp"

namespace railyard::placement {
namespace {

// Numbers of random streams that do not belong to a cause.
constexpr std::uint64_t kNodeStream = 1'000'000, kDayStream = 1'000'001, kMissingStream = 1'000'002;

std::unique_ptr<FailureSource> failures_of(const RunSetup& setup, std::uint64_t seed,
                                           std::uint64_t run) {
  if (setup.trace == nullptr) return drawn_failures(setup, seed, run);
  core::RandomStream random(seed + run, kDayStream);
  return replayed_failures(*setup.trace, run == 0 ? 0 : setup.trace->days * random.uniform());
}

class Run {
 public:
  Run(const RunSetup& setup, std::uint64_t seed, std::uint64_t run)
      : setup_(setup),
        source_(failures_of(setup, seed, run)),
        pool_(setup.nodes, setup.spares, setup.trace == nullptr ? 0 : setup.trace->nodes,
              core::RandomStream(seed + run, kNodeStream)),
        mean_time_(mean_time_to_failure(setup)),
        missing_draws_(seed + run, kMissingStream),
        grey_(setup.grey, seed + run) {
    assert(setup.checkpoint.interval >= setup.checkpoint.write && setup.checkpoint.interval > 0);
    for (std::string& name : cause_names(setup))
      result_.causes.push_back({.name = std::move(name)});
    first_grey_ = result_.causes.size() - setup.grey.size();
  }

  RunResult run() {
    while (now_ < setup_.horizon && done_ < setup_.work) {
      if (grey_.next_time() <= now_) {
        meet_grey();
        continue;
      }
      double until = std::min({source_->next_time(), grey_.next_time(), setup_.horizon});
      if (pool_.missing() > 0) until = std::min(until, pool_.next_return());
      // A node may have returned while the job was down.
      if (train(std::max(until, now_))) break;
      if (now_ >= setup_.horizon) break;
      if (pool_.missing() > 0 && pool_.next_return() <= now_)
        grow();
      else if (grey_.next_time() > now_)
        meet(source_->take());
    }
    result_.elapsed = now_;
    result_.useful = done_;
    result_.node_seconds_out = pool_.seconds_out(now_);
    return std::move(result_);
  }

 private:
  /// Speed / speed with all nodes.
  [[nodiscard]] double speed_of_nodes() const { return speed_without(pool_.missing()); }
  [[nodiscard]] double speed_without(int missing) const {
    if (missing <= 0) return 1;
    const auto at = static_cast<std::size_t>(missing - 1);
    return at < setup_.shrunk.size() ? setup_.shrunk[at] : 0;
  }
  [[nodiscard]] double speed() const { return speed_of_nodes() * grey_.speed(); }
  CauseWaste& waste(std::size_t cause) { return result_.causes[cause]; }

  /// Seconds until `training` seconds of training are done at this speed, checkpoints included.
  [[nodiscard]] double time_for(double training) const {
    const double t = setup_.checkpoint.interval, c = setup_.checkpoint.stall;
    const double left = std::max(0.0, t - position_);
    if (training <= left) return training;
    const double first = t + c - position_;  // to the end of this cycle
    const double rest = training - left;
    return first + rest + (std::ceil(rest / t) - 1) * c;
  }

  /// Trains until that time; true if the work is done before.
  bool train(double until) {
    const double v = speed(), t = setup_.checkpoint.interval;
    const double cycle = t + setup_.checkpoint.stall;
    const double finish = now_ + time_for((setup_.work - done_) / v);
    const bool finishes = finish <= until;
    const double span = (finishes ? finish : until) - now_;
    const double total = position_ + span;
    const double cycles = std::floor(total / cycle);
    const double after = total - cycles * cycle;
    const double trained = std::min(after, t) + cycles * t - std::min(position_, t);
    now_ += span;
    done_ = finishes ? setup_.work : done_ + v * trained;
    position_ = after;
    result_.checkpoint += span - trained;
    const double of_nodes = speed_of_nodes();
    waste(shrunk_by_).slow += (1 - of_nodes) * trained;
    if (v < of_nodes) waste(first_grey_ + grey_.slowest()).slow += (of_nodes - v) * trained;
    if (cycles > 0) {
      const double last = done_ - v * std::min(after, t);
      before_ = cycles > 1 ? last - v * t : snapshot_;
      snapshot_ = last;
      written_ = now_ - after + setup_.checkpoint.write;
    }
    return finishes;
  }

  /// Starts training again: all work done so far counts as saved.
  void begin() {
    position_ = 0;
    before_ = snapshot_ = done_;
    written_ = now_;
  }

  /// Whether a drawn failure hits a node that is already missing: rates count all nodes of the job.
  bool hits_missing(const Failure& failure) {
    if (failure.node >= 0 || !failure.takes_node || pool_.missing() == 0) return false;
    return missing_draws_.uniform() * setup_.nodes < pool_.missing();
  }

  void meet(const Failure& failure) {
    if (hits_missing(failure)) return;
    if (failure.takes_node && !pool_.is_in_job(failure.node)) {
      pool_.fail(failure.node, failure.at, failure.repair);
      return;
    }
    const double kept = now_ >= written_ ? snapshot_ : before_;
    waste(failure.cause).lost += done_ - kept;
    done_ = kept;
    recover(failure);
  }

  void recover(Failure failure) {
    while (true) {
      ++waste(failure.cause).interruptions;
      if (failure.takes_node) pool_.fail(failure.node, now_, failure.repair);
      const double detection = detection_of(failure.cause);
      pass(now_ + detection);
      waste(failure.cause).detection += detection;
      wait(failure);
      if (!restart(failure)) break;
    }
    begin();
  }

  [[nodiscard]] double detection_of(std::size_t cause) const {
    if (cause >= first_grey_) return 0;  // found while it ran
    if (setup_.trace == nullptr && cause < setup_.failures.causes.size())
      if (const auto& own = setup_.failures.causes[cause].detection) return own->seconds();
    return setup_.recovery.detection;
  }

  /// Advances time with the job down; nodes may fail in the meantime.
  void pass(double until) {
    while (source_->next_time() < until) {
      const Failure failure = source_->take();
      if (failure.takes_node && !failure.caused_by_job && !hits_missing(failure))
        pool_.fail(failure.node, failure.at, failure.repair);
    }
    now_ = until;
  }

  /// Time to grow to more nodes: a checkpoint and a restart.
  [[nodiscard]] double growth_time() const {
    return setup_.checkpoint.stall + setup_.recovery.restart;
  }

  /// Whether the job waits for the next node to return, rather than continue at speed v without it.
  /// Waiting for t seconds loses v t of training; continuing and returning to speed v' loses v' (C
  /// + R).
  [[nodiscard]] bool waits() const {
    const double v = speed_of_nodes();
    if (v <= 0) return true;
    if (pool_.missing() == 0 || setup_.node_missing == NodeMissing::shrink) return false;
    if (setup_.node_missing == NodeMissing::wait) return true;
    const double after = speed_without(pool_.missing() - 1);
    return after > v && v * (pool_.next_return() - now_) <= after * growth_time();
  }

  /// Waits until the job has nodes to run on.
  void wait(const Failure& failure) {
    pool_.replace(now_);
    while (waits() && now_ < setup_.horizon) {
      const double from = now_;
      pass(std::min(pool_.next_return(), setup_.horizon));
      waste(failure.cause).waiting += now_ - from;
      pool_.replace(now_);
    }
    if (pool_.missing() > 0 && failure.takes_node) shrunk_by_ = failure.cause;
  }

  /// Performs a restart. Returns true if another failure ends it, and stores that failure in
  /// `failure`.
  bool restart(Failure& failure) {
    const double from = now_, end = now_ + setup_.recovery.restart;
    while (source_->next_time() < end) {
      const Failure next = source_->take();
      if (hits_missing(next)) continue;
      if (next.takes_node && !pool_.is_in_job(next.node)) {
        pool_.fail(next.node, next.at, next.repair);
        continue;
      }
      now_ = next.at;
      waste(failure.cause).restart += now_ - from;
      failure = next;
      return true;
    }
    now_ = end;
    waste(failure.cause).restart += now_ - from;
    return false;
  }

  /// A grey failure begins, or is found. If its node is taken, the job writes a checkpoint before.
  void meet_grey() {
    const auto found = grey_.take();
    if (!found) return;
    const std::size_t cause = first_grey_ + found->process;
    if (!setup_.grey[found->process].takes_node) {
      ++waste(cause).interruptions;
      return;
    }
    result_.checkpoint += setup_.checkpoint.stall;
    now_ += setup_.checkpoint.stall;
    recover({.at = now_, .cause = cause, .repair = found->repair});
  }

  /// When nodes return, the job can write a checkpoint and restart on more nodes. It does not, if
  /// that loses more than it gains until the next failure, whose restart uses these nodes anyway:
  /// it compares speed v for M seconds (the mean time to the next failure) with speed v' for M - C
  /// - R.
  void grow() {
    const int left = pool_.missing() - std::min(pool_.missing(), pool_.ready(now_));
    const double before = speed_of_nodes(), after = speed_without(left);
    if (after <= before) return;
    if (setup_.node_missing == NodeMissing::fastest &&
        after * (mean_time_ - growth_time()) <= before * mean_time_)
      return;
    pool_.replace(now_);
    result_.checkpoint += setup_.checkpoint.stall;
    now_ += setup_.checkpoint.stall;
    Failure failure{.cause = shrunk_by_};
    if (restart(failure)) {
      recover(failure);
      return;
    }
    begin();
  }

  const RunSetup& setup_;
  std::unique_ptr<FailureSource> source_;
  NodePool pool_;
  RunResult result_{};
  double now_ = 0;
  double done_ = 0;      ///< seconds of training at full speed
  double position_ = 0;  ///< position in the cycle of training and checkpoint, in s
  double snapshot_ = 0;  ///< `done_` of the last checkpoint
  double before_ = 0;    ///< `done_` at the checkpoint before the last
  double written_ = 0;   ///< time at which the last checkpoint can be restored
  std::size_t shrunk_by_ = 0;
  double mean_time_;  ///< between interruptions of the job
  core::RandomStream missing_draws_;
  GreySource grey_;
  std::size_t first_grey_ = 0;  ///< index of the first grey failure among the causes
};

}  // namespace

std::vector<std::string> cause_names(const RunSetup& setup) {
  std::vector<std::string> names;
  if (setup.trace != nullptr) {
    for (const TraceFault& fault : setup.trace->faults)
      if (std::ranges::find(names, fault.cause) == names.end()) names.push_back(fault.cause);
  } else {
    for (const FailureCause& cause : setup.failures.causes) names.push_back(cause.name);
    names.emplace_back("lemon nodes");
    names.emplace_back("repeated failures");
  }
  for (const GreyProcess& grey : setup.grey) names.push_back(grey.name);
  return names;
}

double mean_time_to_failure(const RunSetup& setup) {
  constexpr double kSecondsPerDay = 86'400;
  if (setup.trace == nullptr)
    return mean_time_to_failure(setup.failures, setup.counts, Covered::lasting);
  const FailureTrace& trace = *setup.trace;
  return trace.days * kSecondsPerDay * trace.nodes /
         (static_cast<double>(trace.faults.size()) * setup.nodes);
}

RunResult simulate_run(const RunSetup& setup, std::uint64_t seed, std::uint64_t run) {
  if (setup.trace != nullptr && setup.nodes + setup.spares > setup.trace->nodes)
    throw InputError(setup.trace->name, "",
                     fmt::format("records {} nodes, but the run has {} with its spares",
                                 setup.trace->nodes, setup.nodes + setup.spares),
                     "fewer GPUs, or rates in place of a trace");
  return Run(setup, seed, run).run();
}

}  // namespace railyard::placement

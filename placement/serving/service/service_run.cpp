#include "placement/serving/service/service_run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <random>
#include <stdexcept>

#include "core/nearest_rank.hpp"

namespace railyard::placement::serving {
namespace {

/// An event of a run. At equal times steps end before requests arrive. Steps start after all events
/// of that time, so they include all of these requests.
struct Event {
  enum class What { step_end, answer, handshake, arrival, started, decision };
  double time;
  What what;
  std::size_t replica, request;
  auto operator<=>(const Event&) const = default;
};

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A simulation in progress.
class Service {
 public:
  Service(const std::vector<Request>& requests, const ServiceOptions& options,
          const Replica::StepSeconds& seconds)
      : requests_(requests),
        options_(options),
        fleet_(static_cast<std::size_t>(options.replicas), options.autoscale) {
    ReplicaOptions prefill = options.prefill.replica;
    prefill.prefill_only = true;
    add_groups(options.prefill.replicas, options.prefill.copies,
               Replica(prefill, options.prefill.seconds));
    decoders_ = replicas_.size();
    decoder_groups_ = groups_.size();
    add_groups(options.replicas, options.copies, Replica(options.replica, seconds));
    is_busy_.assign(groups_.size(), false);
    is_touched_.assign(groups_.size(), false);
    frontend_free_.assign(replicas_.size(), 0.0);
    if (decoders_ > 0) transfers_ = options.prefill.network();
    expected_.assign(replicas_.size(), 0);
    if (reserves()) {
      reservations_.resize(replicas_.size());
      until_look_.assign(groups_.size(), 0);
      route_of_.resize(requests.size());
    }
    result_.requests.resize(requests.size());
  }

  ServiceResult run() {
    const bool closed = options_.concurrency > 0;
    const std::size_t at_once =
        closed ? std::min(requests_.size(), static_cast<std::size_t>(options_.concurrency)) : 0;
    for (std::size_t i = 0; i < at_once; ++i) send(0);
    if (options_.autoscale.least > 0) decide_later(0);
    while (true) {
      const double arrival =
          !closed && next_ < requests_.size() ? requests_[next_].arrival : kNever;
      const double now =
          next_time(std::min(arrival, events_.empty() ? kNever : events_.top().time));
      if (now == kNever) break;
      for (const CacheTransfer& transfer : arrived_) end_transfer(transfer);
      arrived_.clear();
      handle_events(now);
      while (!closed && next_ < requests_.size() && requests_[next_].arrival == now) send(now);
      handle_events(now);
      for (const std::size_t group : touched_) {
        is_touched_[group] = false;
        if (!is_busy_[group]) start(group, now);
      }
      touched_.clear();
    }
    return finish();
  }

 private:
  /// A replica: its copies of attention are replicas_[first] to replicas_[last - 1].
  struct Group {
    std::size_t first = 0, last = 0;
  };
  void add_groups(int count, int copies, const Replica& copy) {
    for (int i = 0; i < count; ++i) {
      const std::size_t first = replicas_.size();
      replicas_.insert(replicas_.end(), static_cast<std::size_t>(copies), copy);
      group_of_.insert(group_of_.end(), static_cast<std::size_t>(copies), groups_.size());
      groups_.push_back({first, replicas_.size()});
    }
  }

  /// Requests of a decode replica whose prompts are not computed yet.
  struct Reservations {
    std::deque<std::size_t> unseen{}, received{};  ///< requests without a reservation, in order
    std::size_t count = 0;                         ///< number of requests with a reservation
    std::int64_t blocks = 0;                       ///< blocks reserved for them
  };
  struct Route {
    std::size_t prefill = 0, decode = 0;
  };

  /// `until`, or the time at which KV caches arrive if that is earlier.
  double next_time(double until) {
    return transfers_ == nullptr ? until : transfers_->advance(until, arrived_);
  }

  void handle_events(double now) {
    while (!events_.empty() && events_.top().time == now) {
      const Event event = events_.top();
      events_.pop();
      switch (event.what) {
        case Event::What::step_end: end_step(event); break;
        case Event::What::answer: end_answer(event); break;
        case Event::What::handshake:
          reservations_[event.replica].unseen.push_back(event.request);
          touch(group_of_[event.replica]);
          break;
        case Event::What::arrival: arrive(event); break;
        case Event::What::started: fleet_.started(event.time, event.replica); break;
        case Event::What::decision: decide(event.time); break;
      }
    }
  }

  /// Schedules the next decision of the autoscaler if there are still requests.
  void decide_later(double now) {
    if (next_ < requests_.size() || in_system_ > 0)
      events_.push({now + options_.autoscale.interval, Event::What::decision, 0, 0});
  }

  void decide(double now) {
    if (next_ >= requests_.size() && in_system_ == 0) return;
    for (const std::size_t r : fleet_.decide(now, static_cast<std::size_t>(in_system_)))
      events_.push({now + options_.autoscale.startup, Event::What::started, r, 0});
    for (std::size_t g = decoder_groups_; g < groups_.size(); ++g) rest(now, g);
    decide_later(now);
  }

  /// Stops a replica without requests if the autoscaler decided so.
  void rest(double now, std::size_t group) {
    if (group < decoder_groups_) return;
    for (std::size_t r = groups_[group].first; r < groups_[group].last; ++r)
      if (load(r) > 0) return;
    fleet_.idle(now, group - decoder_groups_);
  }

  /// Marks a replica that may start a step after all events of the present time.
  void touch(std::size_t group) {
    if (is_touched_[group]) return;
    is_touched_[group] = true;
    touched_.push_back(group);
  }

  /// A client sends its next request.
  void send(double now) {
    const std::size_t index = next_++;
    Served& served = result_.requests[index];
    const Request& request = requests_[index];
    served = {.arrival = now, .input = request.input, .output = request.output};
    const std::size_t chosen = route(request);
    served.shed = !replicas_[chosen].can_hold(request) || (decoders_ > 0 && !fits_decoder(request));
    if (served.shed) {
      ++result_.shed;
      return;
    }
    served.replica = static_cast<int>(group_of_[chosen]);
    count(now, 1);
    ++expected_[chosen];
    const Frontend& f = options_.frontend;
    const double seconds = f.request + f.input_token * request.input;
    double& free = frontend_free_[chosen];
    free = std::max(free, now + f.latency) + seconds;
    if (!reserves()) {
      events_.push({free, Event::What::arrival, chosen, index});
      return;
    }
    const std::size_t to = decoder();
    ++expected_[to];
    route_of_[index] = {chosen, to};
    events_.push({free, Event::What::handshake, to, index});
  }

  /// True if requests first go to the decode replica, which reserves memory for them.
  [[nodiscard]] bool reserves() const { return decoders_ > 0 && options_.prefill.look_steps > 0; }

  /// Called between two steps of a decode replica. It receives new requests if look_steps steps
  /// have passed, and starts the prompts of those for which it has room.
  void look(std::size_t group, double now) {
    const auto [first, last] = groups_[group];
    bool is_idle = true;
    for (std::size_t r = first; r < last; ++r) is_idle = is_idle && replicas_[r].is_idle();
    const bool receives = is_idle || until_look_[group] <= 0;
    if (receives) until_look_[group] = options_.prefill.look_steps;
    for (std::size_t r = first; r < last; ++r) {
      Reservations& of = reservations_[r];
      if (receives) {
        of.received.insert(of.received.end(), of.unseen.begin(), of.unseen.end());
        of.unseen.clear();
      }
      while (!of.received.empty()) {
        const std::size_t index = of.received.front();
        const Request& request = requests_[index];
        if (!replicas_[r].can_reserve(request, of.count, of.blocks)) break;
        of.received.pop_front();
        ++of.count;
        of.blocks += replicas_[r].reservation(request);
        events_.push({now, Event::What::arrival, route_of_[index].prefill, index});
      }
    }
  }

  /// The request arrives at the engine.
  void arrive(const Event& event) {
    --expected_[event.replica];
    replicas_[event.replica].add(requests_[event.request], result_.requests[event.request]);
    touch(group_of_[event.replica]);
  }

  /// The client has received the whole answer.
  void end_answer(const Event& event) {
    const Served& served = result_.requests[event.request];
    result_.duration = std::max(result_.duration, served.last_token);
    latencies_ += served.latency();
    count(event.time, -1);
    if (options_.concurrency > 0 && next_ < requests_.size()) send(event.time);
  }

  [[nodiscard]] bool fits_decoder(const Request& request) const {
    const ReplicaOptions& r = options_.replica;
    return (request.input + request.output + r.block_tokens - 1) / r.block_tokens <= r.blocks;
  }

  [[nodiscard]] std::size_t load(std::size_t r) const {
    return replicas_[r].waiting() + replicas_[r].running() + expected_[r];
  }

  /// The copy of attention in [first, last) with the fewest requests.
  [[nodiscard]] std::size_t least_loaded(std::size_t first, std::size_t last) const {
    std::size_t best = last;
    for (std::size_t r = first; r < last; ++r)
      if (serves(r) && (best == last || load(r) < load(best))) best = r;
    return best;
  }

  /// The next replica in [first, last) in the turn of a front end, and its copy of attention with
  /// the fewest requests.
  std::size_t in_turn(std::size_t first, std::size_t last) {
    const auto routers = static_cast<std::size_t>(std::max(1, options_.routers));
    std::vector<std::size_t>& turns = first == 0 ? turns_ : decode_turns_;
    if (turns.empty())
      for (std::size_t i = 0; i < routers; ++i) turns.push_back(i);
    std::size_t& turn = turns[routers > 1 ? random_() % routers : 0];
    while (true) {
      const Group& group = groups_[first + turn++ % (last - first)];
      if (serves(group.first)) return least_loaded(group.first, group.last);
    }
  }

  /// The replica that will decode a request: least loaded, or the next in turn with round_robin.
  std::size_t decoder() {
    return options_.router == RouterPolicy::round_robin ? in_turn(decoder_groups_, groups_.size())
                                                        : least_loaded(decoders_, replicas_.size());
  }

  /// Whether a replica accepts requests. Replicas of the prefill pool always do.
  [[nodiscard]] bool serves(std::size_t replica) const {
    return replica < decoders_ || fleet_.serves(group_of_[replica] - decoder_groups_);
  }

  /// The replica for an arriving request, in the prefill pool if there is one.
  std::size_t route(const Request& request) {
    const std::size_t count = decoders_ > 0 ? decoders_ : replicas_.size();
    if (options_.router == RouterPolicy::round_robin)
      return decoders_ > 0 ? in_turn(0, decoder_groups_) : in_turn(0, groups_.size());
    const std::size_t least = least_loaded(0, count);
    if (options_.router == RouterPolicy::least_requests) return least;
    std::size_t best = least, most = 0;
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t cached = replicas_[r].cached_blocks(request);
      if (!serves(r) || cached <= most || load(r) > load(least) + kPrefixQueue) continue;
      best = r;
      most = cached;
    }
    const double worth = kPrefixShare * static_cast<double>(request.prefix.size());
    return static_cast<double>(most) >= worth ? best : least;
  }

  /// Sends the KV cache of a prompt to its decode replica, by default the one with the fewest
  /// requests.
  void transfer(const Served& served, std::size_t from, double now) {
    std::size_t to = 0;
    if (reserves()) {
      to = route_of_[index_of(served)].decode;
    } else {
      to = decoder();
      ++expected_[to];
    }
    transfers_->send(now, {.request = index_of(served),
                           .from = from,
                           .to = to - decoders_,
                           .tokens = static_cast<double>(served.input)});
  }

  [[nodiscard]] std::size_t index_of(const Served& served) const {
    return static_cast<std::size_t>(&served - result_.requests.data());
  }

  void end_transfer(const CacheTransfer& transfer) {
    const std::size_t replica = decoders_ + transfer.to;
    --expected_[replica];
    if (reserves()) {
      Reservations& of = reservations_[replica];
      --of.count;
      of.blocks -= replicas_[replica].reservation(requests_[transfer.request]);
    }
    Served& served = result_.requests[transfer.request];
    served.replica = static_cast<int>(group_of_[replica]);
    replicas_[replica].add_decode(requests_[transfer.request], served);
    touch(group_of_[replica]);
  }

  /// Starts a step. All copies of a replica step together, as long as the slowest; copies without
  /// tokens wait for the others.
  void start(std::size_t group, double now) {
    const auto [first, last] = groups_[group];
    if (reserves() && group >= decoder_groups_) look(group, now);
    double tokens = 0, end = -1;
    const double seen = now + options_.frontend.latency;
    for (std::size_t r = first; r < last; ++r)
      if (replicas_[r].choose_batch(now, seen)) tokens += replicas_[r].batch().tokens();
    is_busy_[group] = tokens > 0;
    if (tokens <= 0) return;
    if (reserves()) --until_look_[group];
    const double mean = last - first > 1 ? tokens / static_cast<double>(last - first) : 0;
    for (std::size_t r = first; r < last; ++r)
      if (replicas_[r].batch().tokens() > 0)
        end = std::max(end, replicas_[r].end_of_step(now, mean));
    events_.push({end, Event::What::step_end, group, 0});
    if (options_.watch) {
      StepRecord step{.replica = group, .begin = now, .end = end};
      for (std::size_t r = first; r < last; ++r) {
        const Replica& one = replicas_[r];
        step.batch += one.batch();
        step.waiting += one.waiting();
        step.running += one.running();
        step.used_blocks += one.used_blocks();
      }
      options_.watch(step);
    }
    (group < decoder_groups_ ? result_.prefill_busy : result_.decode_busy) += end - now;
  }

  void end_step(const Event& event) {
    const double now = event.time;
    const std::size_t group = event.replica;
    ++result_.steps;
    is_busy_[group] = false;
    for (std::size_t r = groups_[group].first; r < groups_[group].last; ++r) {
      if (replicas_[r].batch().tokens() <= 0) continue;
      replicas_[r].end_step(now, now + options_.frontend.latency, [&](Served& served) {
        if (r < decoders_ && served.output > 1)
          transfer(served, r, now);
        else
          events_.push({served.last_token, Event::What::answer, group, index_of(served)});
      });
    }
    rest(now, group);
    touch(group);
  }

  void count(double now, int change) {
    area_ += static_cast<double>(in_system_) * (now - last_change_);
    last_change_ = now;
    in_system_ += change;
  }

  ServiceResult finish() {
    for (const Replica& replica : replicas_) {
      result_.token_gaps += replica.token_gaps();
      result_.preemptions += replica.preemptions();
      result_.swaps += replica.swaps();
    }
    const double first = requests_.empty() || options_.concurrency > 0 ? 0 : requests_[0].arrival;
    // From the beginning of the run to the last answer.
    result_.mean_replicas = result_.duration > 0
                                ? fleet_.replica_seconds(result_.duration) / result_.duration
                                : options_.replicas;
    result_.duration -= first;
    // Little's law: the integral of the number of requests in the system is the sum of the
    // latencies.
    if (in_system_ != 0 || std::abs(area_ - latencies_) > 1e-6 * (1 + latencies_))
      throw std::logic_error("a run of a service breaks Little's law");
    result_.mean_in_system = result_.duration > 0 ? area_ / result_.duration : 0;
    const auto prefill = static_cast<double>(decoder_groups_);
    const double decode = static_cast<double>(groups_.size()) - prefill;
    result_.prefill_busy /= std::max(1.0, prefill) * std::max(result_.duration, 1e-12);
    result_.decode_busy /= std::max(1.0, decode) * std::max(result_.duration, 1e-12);
    return std::move(result_);
  }

  const std::vector<Request>& requests_;
  const ServiceOptions& options_;
  ReplicaFleet fleet_;                   ///< replicas that decode
  std::vector<Replica> replicas_{};      ///< copies of attention, replica by replica
  std::vector<Group> groups_{};          ///< replicas
  std::vector<std::size_t> group_of_{};  ///< by copy
  std::vector<bool> is_busy_{};          ///< by replica
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_{};
  /// Index of the first copy of a decode replica, if there is a prefill pool.
  std::size_t decoders_ = 0;
  std::size_t decoder_groups_ = 0;                ///< index of the first decode replica
  std::unique_ptr<TransferNetwork> transfers_{};  ///< between the pools
  std::vector<CacheTransfer> arrived_{};
  std::vector<Reservations> reservations_{};  ///< by copy
  std::vector<int> until_look_{};             ///< by replica: steps until it looks for requests
  std::vector<Route> route_of_{};             ///< by request
  /// By copy: requests that have been sent to it and have not arrived.
  std::vector<std::size_t> expected_{};
  /// Replicas that may start a step after the events of the present time.
  std::vector<std::size_t> touched_{};
  std::vector<bool> is_touched_{};
  std::vector<double> frontend_free_{};  ///< by copy: time at which its front end is free
  std::size_t next_ = 0;
  std::vector<std::size_t> turns_{}, decode_turns_{};  ///< by front end
  std::mt19937_64 random_{1};
  std::int64_t in_system_ = 0;
  double area_ = 0, last_change_ = 0, latencies_ = 0;
  ServiceResult result_{};
};

Quantiles quantiles_of(const std::vector<Served>& requests, double (Served::*value)() const) {
  std::vector<double> values;
  for (const Served& r : requests)
    if (!r.shed) values.push_back((r.*value)());
  if (values.empty()) return {};
  std::ranges::sort(values);
  double sum = 0;
  for (const double v : values) sum += v;
  return {.mean = sum / static_cast<double>(values.size()),
          .p50 = core::nearest_rank(values, 0.5),
          .p90 = core::nearest_rank(values, 0.9),
          .p99 = core::nearest_rank(values, 0.99)};
}

}  // namespace

int look_steps(const Deployment& deployment) {
  if (!reserves_before_prompts(deployment.engine)) return 0;
  return deployment.hold.is_periodic ? std::max(1, deployment.hold.steps) : 1;
}

double ServiceResult::output_tokens_per_s() const {
  double tokens = 0;
  for (const Served& r : requests) tokens += r.shed ? 0 : r.output;
  return duration > 0 ? tokens / duration : 0;
}

double ServiceResult::cached_share() const {
  double cached = 0, all = 0;
  for (const Served& r : requests) {
    cached += r.shed ? 0 : r.cached;
    all += r.shed ? 0 : r.input;
  }
  return all > 0 ? cached / all : 0;
}

Quantiles ServiceResult::ttft() const { return quantiles_of(requests, &Served::ttft); }
Quantiles ServiceResult::tpot() const { return quantiles_of(requests, &Served::tpot); }
Quantiles ServiceResult::latency() const { return quantiles_of(requests, &Served::latency); }

double ServiceResult::goodput(double ttft_limit, double tpot_limit) const {
  if (requests.empty()) return 0;
  const auto met = std::ranges::count_if(requests, [&](const Served& r) {
    return !r.shed && r.ttft() <= ttft_limit && r.tpot() <= tpot_limit;
  });
  return static_cast<double>(met) / static_cast<double>(requests.size());
}

ServiceResult run_service(const std::vector<Request>& requests, const ServiceOptions& options,
                          const Replica::StepSeconds& seconds) {
  return Service(requests, options, seconds).run();
}

}  // namespace railyard::placement::serving

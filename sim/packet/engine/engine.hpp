#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/units.hpp"
#include "sim/packet/engine/counters.hpp"
#include "sim/packet/engine/outbox.hpp"
#include "sim/packet/engine/stall.hpp"
#include "sim/packet/events/event.hpp"
#include "sim/packet/events/event_sort.hpp"
#include "sim/packet/events/window_queue.hpp"
#include "sim/packet/links/links.hpp"
#include "sim/packet/nic/ingress.hpp"
#include "sim/packet/nic/pull_pacer.hpp"
#include "sim/packet/nic/pull_rate.hpp"
#include "sim/packet/nic/send_order.hpp"
#include "sim/packet/parameters.hpp"
#include "sim/packet/switch/credits.hpp"
#include "sim/packet/switch/port_scheduler.hpp"
#include "sim/packet/switch/shared_buffer.hpp"
#include "sim/packet/transport/congestion_control.hpp"
#include "sim/packet/transport/queue_pair.hpp"
#include "sim/packet/transport/recycled_paths.hpp"
#include "sim/packet/transport/scoreboard.hpp"
#include "sim/packet/transport/skipped_paths.hpp"

namespace railyard::sim::packet {

/// The network that an engine simulates. On links inside a node packets have no transport headers,
/// are sent in the order of request, and no buffer limits them.
struct NetworkSpec {
  std::vector<LinkSpec> links;
  std::size_t devices = 0;
  Bytes mtu{4096};     ///< payload of a packet
  Bytes overhead{82};  ///< wire bytes of a packet in addition to its payload
};

/// A route of packets. `links` are the links of the network in order; the first one leaves a
/// sending port. `before` (from memory to the NIC) and `behind` (from the NIC to memory) are links
/// inside nodes, which a packet occupies without being queued there. A route inside a node has
/// neither headers nor acknowledgements.
struct RouteSpec {
  std::vector<std::uint32_t> links, before, behind;
  bool is_inside = false;
};

/// Receives a call when a message is complete in the memory of its receiver. The call may post
/// other messages.
class Deliveries {
 public:
  virtual ~Deliveries() = default;
  virtual void delivered(std::uint32_t tag, Time at) = 0;
};

/// The number of bytes that wait for a link at a time (ps).
struct QueueSample {
  std::int64_t time = 0;
  std::uint32_t link = 0, bytes = 0;
};

/// Simulates every packet of messages on queue pairs over links and switches, in integer
/// picoseconds (docs/models/packet.md). Each hop of a packet is one event: its arrival at the end
/// of the link. Everything else (starts of packets, timers of rates) is computed when it is needed.
///
/// Time advances in windows. In a window each domain (Domains) first merges its own events with the
/// packets that arrive from other domains, which are all known at the start of the window. Then it
/// starts the packets that can start in the window. This order keeps the memory of one switch in
/// the cache while its packets pass.
///
/// Example: one packet of 4096 + 82 bytes over two links of 400 Gb/s (20 ps/B) and 1 us each, store
/// and forward: 2 * (83,560 + 1,000,000) ps.
class Engine {
 public:
  /// Throws InputError if parameters and links do not fit together.
  Engine(const NetworkSpec& network, const Parameters& parameters, std::uint64_t seed);

  [[nodiscard]] std::uint32_t add_route(const RouteSpec& route);
  /// Adds a queue pair. Its packets use `routes` consecutive routes in turn. If there are several,
  /// the receiver accepts packets in any order. `back`: the route of acknowledgements (not used
  /// inside a node). `traffic_class`: index into SwitchParameters::classes; links inside nodes have
  /// no classes.
  [[nodiscard]] std::uint32_t add_pair(std::uint32_t first_route, std::uint32_t routes,
                                       std::uint32_t back, std::uint32_t traffic_class = 0);
  /// Adds a queue pair with which the receiver of the queue pair `data` reads (RDMA read). A
  /// message that is posted to it becomes a request of 16 bytes over the route `there`, the reverse
  /// route of `data`. The sender of `data` answers requests in order with the bytes of the message,
  /// NicParameters::read_latency plus `lead` after the request has arrived. At most
  /// NicParameters::outstanding_reads requests are outstanding. `back`: the route of notifications
  /// about lost requests, and of acknowledgements if there are any.
  [[nodiscard]] std::uint32_t add_reader(std::uint32_t data, std::uint32_t there,
                                         std::uint32_t back, Time lead = {});
  /// Adaptive routing: switches choose the next link of each data packet among the routes of its
  /// queue pair, namely the link with the fewest waiting bytes.
  void route_adaptively() { is_adaptive_ = true; }
  /// Changes the rate of a link at a time; call it before run(). Rate 0 means that the link fails:
  /// it starts no packet, and packets that wait for it or arrive for it are lost until it has a
  /// rate again.
  void change_link(std::uint32_t link, Time at, Bandwidth rate);
  /// Moves a queue pair to other routes between the same devices at a time; call it before run().
  /// If the new routes begin or end at another port, unacknowledged packets are sent again.
  struct Reroute {
    std::uint32_t pair, first_route, back;
    Time at;
  };
  void reroute(const Reroute& change);
  /// Lets the NIC at the end of a link pause all lossless queues of the link for a time; call it
  /// before run(). Storms of the same link must not overlap.
  void add_storm(std::uint32_t link, Time from, Time until) {
    storms_.push_back({link, from, until});
  }
  /// Uses several threads; call it before run(). Results do not depend on the number. Deliveries
  /// are reported by one thread at a time, the one that simulates the receiver.
  void use_threads(int threads) { threads_ = threads; }
  /// The reason why run() uses only one thread; "" if it may use several.
  [[nodiscard]] std::string_view why_one_thread() const;
  /// For tests: one queue of events for all devices. Results do not depend on it.
  void keep_together() { is_one_domain_ = true; }
  /// Posts a message of at least one byte to a queue pair at a time that is not in the past. Inside
  /// Deliveries::delivered only queue pairs may be used that send from the node that received the
  /// message.
  void post(std::uint32_t pair, Time at, Bytes bytes, std::uint32_t tag);
  /// Records the depth of all non-empty queues every `interval`, as long as messages are open.
  void sample_queues(Time interval) { sample_interval_ = interval.picoseconds(); }
  [[nodiscard]] const std::vector<QueueSample>& queue_samples() const { return samples_; }
  /// Calls `keep_going` with the simulated time from time to time. If it returns false the run
  /// stops.
  void watch(std::function<bool(Time now)> keep_going) { keep_going_ = std::move(keep_going); }
  /// Runs until every message is delivered and no packet is left. Throws InputError with the cause
  /// if a queue pair fails (most_retries()), at the end of that window of time, or if packets wait
  /// forever (a cycle of pauses).
  void run(Deliveries& deliveries);
  /// run() in parts, for callers that also post messages between windows. Call prepare() after all
  /// queue pairs were added, then advance() repeatedly, and finish() when nothing more will be
  /// posted. Windows are at most `longest` long.
  void prepare(Deliveries& deliveries, Time longest = Time::never());
  /// Simulates the next window of time that has events and begins before `until`. Returns false if
  /// there is none or the watch has stopped the run. Throws like run() if a queue pair fails.
  bool advance(Time until);
  /// The earliest time at which messages may be posted between windows, on any queue pair.
  [[nodiscard]] Time next_post() const { return Time::picoseconds((window_ + 1) * lookahead_); }
  void finish();
  /// Whether every message was delivered. False if the watch stopped the run.
  [[nodiscard]] bool is_complete() const { return open_messages_ == 0; }
  /// Simulated time of the last event.
  [[nodiscard]] Time now() const { return Time::picoseconds(now_); }

  /// Payload / wire bytes of a full packet.
  [[nodiscard]] double payload_share() const {
    return static_cast<double>(mtu_) / static_cast<double>(mtu_ + overhead_);
  }
  /// The time in ps that a NIC needs per byte of payload of full packets if its receive rate is
  /// limited; otherwise 0.
  [[nodiscard]] double ingress_per_byte() const {
    if (!ingress_.is_limited()) return 0;
    return static_cast<double>(ingress_.time_of(mtu_ + overhead_)) / mtu_;
  }
  /// During a run on several threads (in Deliveries and the watch) the counters are some windows
  /// old.
  [[nodiscard]] const Counters& counters() const;
  [[nodiscard]] const Links& links() const { return links_; }
  /// Total wire bytes of each link.
  [[nodiscard]] std::vector<std::uint64_t> carried() const;
  /// Pauses of one queue of a link's port: their number, and their total duration so far. With
  /// credits: the number of packets that waited for credits, and their total waiting time.
  struct LinkPauses {
    std::uint32_t count = 0;
    std::int64_t total = 0, since = 0;  ///< ps
  };
  [[nodiscard]] LinkPauses pauses(std::uint32_t link, std::uint32_t queue) const;
  /// The sum over all queues of the port.
  [[nodiscard]] LinkPauses pauses(std::uint32_t link) const;
  [[nodiscard]] std::uint32_t queues() const { return lanes_; }
  /// The largest depth in bytes of a data queue of a port.
  [[nodiscard]] std::uint32_t most_queued(std::uint32_t link) const;
  /// The number of buffered bytes up to which a switch neither pauses nor loses packets
  /// (SharedBuffers).
  [[nodiscard]] Bytes most_without_pause(std::uint32_t device) const {
    return Bytes(buffers_.most_without_pause(device));
  }
  /// The number of data packets that received an ECN mark in the queue of a link.
  [[nodiscard]] std::uint64_t marks(std::uint32_t link) const { return marks_[link]; }
  /// Sets the names of links for errors. Without it errors contain their numbers.
  void name_links(std::function<std::string(std::uint32_t link)> name) { name_ = std::move(name); }
  /// Sets the names of messages for errors, by tag: "the transfer from a to b". Without it errors
  /// contain their numbers.
  void name_messages(std::function<std::string(std::uint32_t tag)> name) {
    message_name_ = std::move(name);
  }
  /// Links whose pauses wait for each other in a cycle; empty if there is no cycle.
  [[nodiscard]] std::vector<std::uint32_t> pause_cycle() const;
  /// Memory in bytes of a queue pair with its routes and messages, for estimates before a run.
  [[nodiscard]] static std::size_t pair_bytes(const Parameters& parameters) {
    constexpr std::size_t kPacketsOnTheWay = 256;  // 1 MB
    const bool is_selective = parameters.nic.recovery == Recovery::selective;
    return sizeof(QueuePair) +
           CongestionControl::pair_bytes(parameters.congestion, kPacketsOnTheWay) +
           (is_selective ? Scoreboard::pair_bytes(kPacketsOnTheWay) : 0);
  }

 private:
  struct Route {
    std::uint32_t first = 0;                        ///< into route_links_
    std::uint32_t before = 0, behind = 0, end = 0;  ///< into leg_links_
    std::uint32_t overhead = 0;
    std::uint32_t last_link = 0;
    std::uint64_t packets = 0, bytes = 0;  ///< sent over it
  };

  /// The state of a domain.
  struct Domain {
    std::vector<Event> heap;             ///< events, except arrivals from other domains
    std::vector<std::uint32_t> inputs;   ///< links from other domains with packets on the wire
    std::vector<std::uint32_t> outputs;  ///< links to other domains with waiting packets
    std::int64_t sleeps_until = 0;       ///< ps; start of the next window in which it has work
    std::uint32_t first_hot = 0, hot_lines = 0;  ///< range in hot_lines_
  };

  Engine(const Engine&) = default;

  // Reads (engine_reads.cpp).
  struct Reader {
    std::uint32_t partner = kNone;  ///< the queue pair of responses for one of requests, and vice
                                    ///< versa
    bool asks = false;              ///< this queue pair carries requests
    std::int64_t delay = 0;         ///< ps from a request to its response
    // Only for queue pairs of requests:
    bool comes_again = false;       ///< the next request that was already received starts a
                                    ///< repetition
    std::uint32_t outstanding = 0;  ///< requests whose response is not complete
    std::uint32_t held = kNoMessage, last_held = kNoMessage;  ///< requests that wait because too
                                                              ///< many are outstanding
  };
  [[nodiscard]] bool is_reader(std::uint32_t pair) const {
    return pair < readers_.size() && readers_[pair].partner != kNone;
  }
  /// Whether packets of this queue pair are not acknowledged, because the response is the answer to
  /// a request and shows which packets are lost.
  [[nodiscard]] bool is_silent(std::uint32_t pair) const {
    return is_reader(pair) && !acknowledges_reads(parameters_);
  }
  [[nodiscard]] bool is_asking(std::uint32_t pair) const {
    return pair < readers_.size() && readers_[pair].asks;
  }
  void respond(std::uint32_t number, std::uint32_t pair, std::int64_t now);
  void respond_again(std::uint32_t pair, std::int64_t now);
  void ask_again(std::uint32_t asking, std::int64_t now);
  void read_again(std::uint32_t pair, std::uint32_t sequence, std::int64_t now);
  void go_back_later(std::uint32_t data, std::int64_t now);
  void note_response(std::uint32_t pair, std::int64_t now);
  [[nodiscard]] bool may_ask(std::uint32_t asking, std::uint32_t message);
  void finish_read(std::uint32_t pair, std::int64_t now);
  void confirm_read(std::uint32_t pair, std::uint32_t sequence, std::int64_t now);
  void tell_responder(const Outbox::Response& response);
  void hand_over(std::uint32_t pair, Message message, std::int64_t start);
  void form_domains(Time longest);
  void plan();
  void plan_posts();
  [[nodiscard]] std::int64_t next_window();
  [[nodiscard]] bool must_stop(std::uint64_t events);
  void run_window(std::int64_t window);
  void post_here(std::uint32_t pair, Time at, Bytes bytes, std::uint32_t tag);
  [[nodiscard]] std::uint32_t keep(const Message& message);

  // Threads (engine_threads.cpp).
  struct Team;
  void run_on_threads();
  void divide(std::span<const std::uint8_t> sends, std::size_t shards);
  void drop_messages();
  void work();
  void run_round(std::size_t round, std::int64_t window);
  void publish(std::size_t round);
  void take(const Outbox& box);
  void take_credits();
  void take(const Message& announced);
  void take(const Outbox::Sent& sent);
  void take(const Outbox::Response& response);
  void post_departures();
  void collect();
  [[nodiscard]] std::vector<std::uint16_t> assign_shards(std::span<const std::uint8_t> sends,
                                                         std::size_t shards) const;
  [[nodiscard]] Engine& owner_of(std::uint32_t pair);
  void tell_delivery(std::uint32_t tag, Time at);
  [[nodiscard]] bool is_here(std::uint32_t domain) const {
    return shard_of_.empty() || shard_of_[domain] == shard_;
  }
  [[nodiscard]] Outbox& out(std::uint32_t domain) {
    return out_[parity_][shard_of_.empty() ? 0 : shard_of_[domain]];
  }
  [[nodiscard]] std::uint32_t sender_domain(const QueuePair& pair) const {
    return from_domain_[first_link(pair)];
  }
  [[nodiscard]] std::uint32_t receiver_domain(const QueuePair& pair) const {
    return to_domain_[last_link(pair)];
  }
  void mail_event(std::uint32_t domain, const Event& event);
  void mail_credits(std::uint32_t link, std::uint32_t bytes, std::int64_t known);
  void note_record(std::uint32_t link, const Outbox::Record& record);
  void note_report(const QueuePair& pair, std::uint32_t number, const Scoreboard::Report& report);
  void tell_receiver(QueuePair& pair, std::uint32_t message);
  void tell_receiver(const QueuePair& pair, const Outbox::Sent& sent);
  void pass_by(QueuePair& pair);
  void find_timed_senders();
  void wake(std::uint32_t domain, std::int64_t time);
  void push_event(std::uint32_t domain, const Event& event);
  [[nodiscard]] Event pop_event(Domain& domain);
  void run_domain(std::uint32_t number, std::int64_t begin, std::int64_t end);
  [[nodiscard]] std::int64_t gather(Domain& domain, std::int64_t end);
  void prefetch(std::span<const std::uint32_t> due) const;
  void prefetch_outputs(std::size_t at) const;
  void find_hot_lines();
  void run_events(Domain& domain, std::int64_t end);
  [[nodiscard]] std::int64_t start_until(Domain& domain, std::int64_t end);
  void handle(const Event& event);
  void start(std::uint32_t number, std::int64_t now);
  [[nodiscard]] std::uint32_t first_link(const QueuePair& pair) const {
    return route_links_[routes_[pair.first_path].first] + pair.lane * links_.ports();
  }
  [[nodiscard]] std::uint32_t last_link(const QueuePair& pair) const {
    return routes_[pair.first_path].last_link;
  }
  void pass(const Event& event);
  void arrive(std::uint32_t number, std::int64_t now);
  void take_first(std::uint32_t number, Link& link, std::uint32_t next);
  void forward(std::uint32_t in_number, Link& in, std::uint32_t out_number, Packet packet);
  // NICs with limits (engine_ingress.cpp).
  [[nodiscard]] bool waits_at_nic(std::uint32_t number, const Packet& packet) const;
  void enter_nic(std::uint32_t number, const Packet& packet);
  void take_in(std::uint32_t device, std::int64_t now);
  void receive(const Packet& packet, std::int64_t now);
  void receive_data(const Packet& packet, std::int64_t now);
  void refuse(QueuePair& pair, const Packet& packet, std::int64_t now);
  void accept_in_order(QueuePair& pair, const Packet& packet, std::int64_t now);
  void accept_in_any_order(QueuePair& pair, const Packet& packet, std::int64_t now);
  void complete(std::uint32_t message, std::int64_t now, std::int64_t in_memory);
  void deliver(std::uint32_t message, std::int64_t now);
  void answer(QueuePair& pair, std::uint32_t number, PacketKind kind, std::uint32_t sequence,
              std::int64_t now);
  void acknowledge(QueuePair& pair, std::uint32_t number, std::uint32_t sequence, std::int64_t now);
  void note_loss(std::uint32_t pair, std::int64_t now, std::uint32_t on_the_way = 0);
  void go_back(QueuePair& pair);
  [[nodiscard]] std::int64_t patience(std::uint32_t pair) const;
  void resend_after_timeout(std::uint32_t number, std::int64_t now);
  [[nodiscard]] bool may_retry(std::uint32_t pair, std::int64_t now);
  void fail(std::uint32_t pair, std::int64_t now);
  void find_waiting();

  // Selective repeat (engine_selective.cpp).
  void receive_selected(QueuePair& pair, const Packet& packet, std::int64_t now);
  void report(QueuePair& pair, std::uint32_t number, std::int64_t now);
  void take_reports(QueuePair& pair, std::uint32_t number, std::uint32_t count, std::int64_t now);
  void find_gaps(const QueuePair& pair, std::uint32_t number, std::uint32_t end, std::int64_t now);
  void mark_lost(std::uint32_t number, std::uint32_t sequence, std::int64_t now);
  void take_nack(QueuePair& pair, std::uint32_t number, std::uint32_t sequence, std::int64_t now);
  [[nodiscard]] std::uint32_t take_resend(const QueuePair& pair, std::uint32_t number);
  [[nodiscard]] bool may_send_selected(const QueuePair& pair, std::uint32_t number) const;
  [[nodiscard]] const Message& message_of(const QueuePair& pair, std::uint32_t sequence) const;
  struct Sent {
    std::uint32_t sequence, path;
    std::int64_t start;
    bool is_again;
  };
  void note_sent(QueuePair& pair, std::uint32_t number, const Sent& sent);
  [[nodiscard]] std::uint32_t first_timed(const QueuePair& pair, std::uint32_t number);
  void resend_selected(QueuePair& pair, std::uint32_t number, std::int64_t now);
  void judge_path(std::uint32_t number, std::uint32_t path, bool is_marked);
  [[nodiscard]] std::uint32_t choose_heeded(QueuePair& pair, std::uint32_t number);
  [[nodiscard]] std::uint32_t choose_path(QueuePair& pair, std::uint32_t number,
                                          std::int64_t start);
  // Pulls.
  void refill_credit(const QueuePair& pair, std::uint32_t number);
  [[nodiscard]] bool wants_pull(const Scoreboard::Counts& counts) const;
  void note_arrival(QueuePair& pair, const Packet& packet, std::int64_t now);
  void request_pull(QueuePair& pair, std::uint32_t number, std::int64_t now);
  void pull(std::uint32_t port, std::int64_t now);
  void take_pull(std::uint32_t number, std::uint32_t granted);
  // Ports with several queues, and credits (engine_ports.cpp).
  struct Choice {
    std::uint32_t link = kNone;
    std::int64_t start = 0, wanted = 0;  ///< ps; wanted: the start without waiting for credits
    bool is_control = false;             ///< a sending port: the packet is a control packet
    std::uint32_t ready = 1;             ///< bit set of the queues that could start at the same
                                         ///< time
  };
  [[nodiscard]] Choice first_of(std::uint32_t number);
  [[nodiscard]] Choice choose(std::uint32_t port);
  void advance_port(std::uint32_t port, std::int64_t now);
  [[nodiscard]] std::int64_t first_start(std::uint32_t number);
  void give_back(std::uint32_t in_number, std::uint32_t bytes, std::int64_t at);
  void plan_exact_start(std::uint32_t number, const Link& link);
  void take_back(std::uint32_t in_number, std::uint32_t bytes, std::int64_t known);
  // Faults during the run (engine_faults.cpp).
  struct LinkChange {
    std::uint32_t link;
    Bandwidth rate;
    Time at;
  };
  void plan_changes();
  void apply(const LinkChange& change, std::int64_t now);
  void discard(std::uint32_t number, std::int64_t now);
  // Storms of pauses and their watchdog (engine_watchdog.cpp).
  struct Storm {
    std::uint32_t link;
    Time from, until;
  };
  void plan_storms();
  void watch_pause(std::uint32_t number, std::int64_t now);
  void watch_resume(std::uint32_t number, std::int64_t now);
  void look_at_pauses(std::uint32_t number, std::uint32_t pauses, std::int64_t now);
  void ignore_pauses(std::uint32_t number, std::int64_t now);
  void heed_pauses(std::uint32_t number, std::int64_t now);
  void take_routes(std::uint32_t pair, std::uint32_t detail, std::int64_t now);
  void send_again(QueuePair& pair, std::uint32_t number, std::int64_t now);
  /// The route that a received data packet took.
  [[nodiscard]] const Route& route_of(const QueuePair& pair, const Packet& packet) const;
  void leave_buffer(const Packet& packet, std::int64_t now, std::int64_t gone);
  /// The queue of a port for a packet.
  [[nodiscard]] std::uint32_t link_of(std::uint32_t port, const Packet& packet) const {
    return is_plain_ ? port : port + packet.lane * links_.ports();
  }

  /// The queue of control packets (acknowledgements, CNPs, pulls) of a queue pair.
  [[nodiscard]] std::uint32_t control_lane(const QueuePair& pair) const {
    return control_lane_ == kNone ? pair.lane : control_lane_;
  }
  [[nodiscard]] std::uint32_t adapt(Packet& packet);
  [[nodiscard]] std::uint32_t route_at(const QueuePair& pair, std::uint32_t at) const;
  static void count_on(Route& route, std::uint32_t bytes) {
    ++route.packets;
    route.bytes += bytes;
  }
  void drop_or_trim(std::uint32_t in_number, std::uint32_t out_number, const Packet& packet);
  void trim(std::uint32_t in_number, std::uint32_t out_number, Packet packet);
  void push_trimmed(Packet packet, std::uint32_t out_port, std::int64_t now);
  void refuse_control(Packet packet);
  [[nodiscard]] bool push_control(Packet packet, std::uint32_t out_port);
  [[nodiscard]] std::uint32_t reverse_route(std::uint32_t at);
  void take_returned(QueuePair& pair, std::uint32_t number, std::uint32_t sequence,
                     std::int64_t now);
  void repeat_returned(std::uint32_t number);
  void mark_stalled();
  void occupy_wire(std::uint32_t number, const Link& link, std::uint32_t bytes, std::int64_t start);
  void share_wire(std::uint32_t number, std::int64_t free_at);
  [[nodiscard]] PathFacts facts_of(std::uint32_t route, std::uint32_t back) const;
  void add_pacer(std::uint32_t port, std::int64_t base_rtt);
  void add_first_window(std::uint32_t number, const PathFacts& path);

  void advance(std::uint32_t number, std::int64_t now);
  void advance_sender(std::uint32_t number, std::int64_t now);
  void begin_waiting(std::uint32_t number, Link& link, std::int64_t start, bool is_root = true);
  void send_control(std::uint32_t link, SendOrder& order, std::int64_t start);
  [[nodiscard]] bool takes_message_slot(std::uint32_t port, std::int64_t start);
  void send_data(std::uint32_t queue, SendOrder& order, std::int64_t start);
  void enqueue(QueuePair& pair, std::uint32_t number, std::int64_t not_before);
  [[nodiscard]] bool may_send(const QueuePair& pair, std::uint32_t number) const;
  [[nodiscard]] std::int64_t occupy(std::uint32_t begin, std::uint32_t end, std::uint32_t bytes,
                                    std::int64_t at);
  [[nodiscard]] std::int64_t to_memory(const Route& route, std::uint32_t bytes, std::int64_t now);
  void set_pace(QueuePair& pair, std::uint32_t number);
  void steer(QueuePair& pair, std::uint32_t number, std::uint32_t sequence, std::int64_t now);
  void write_record(std::uint32_t link_number, const Link& link, const Packet& packet,
                    std::int64_t start);
  void schedule(std::uint32_t number, Link& link);
  void plan_sender(std::uint32_t number, const Link& link);
  Packet& put_on_wire(std::uint32_t number, Link& link, std::int64_t start);
  [[nodiscard]] std::int64_t next_start(const Link& link, std::uint32_t sender) const;

  void make_exact(std::uint32_t device, std::int64_t now);
  void plan_start(std::uint32_t number, Link& link);
  void send_pause(std::uint32_t in_number, std::int64_t at, EventKind kind);
  void stop(std::uint32_t number, std::int64_t now);
  void resume(std::uint32_t number, std::int64_t now);
  void sample(std::int64_t now);
  void post_now(std::uint32_t pair, std::int64_t now);
  void begin(std::uint32_t pair, std::uint32_t message, std::int64_t now);
  [[nodiscard]] std::uint32_t take_posted(QueuePair& pair, std::int64_t now);
  void check_conservation() const;
  [[noreturn]] void report_stall();

  Parameters parameters_;
  std::uint8_t most_retries_;  ///< retries without progress before a queue pair fails
  std::uint32_t mtu_, overhead_, ack_interval_;
  std::uint32_t lanes_;         ///< number of queues of a port
  std::uint32_t control_lane_;  ///< queue of control packets; kNone: they use the queue of their
                                ///< data
  Links links_;
  SharedBuffers buffers_;
  Credits credits_;
  Ingress ingress_;
  bool is_plain_;  ///< one lane and no credits
  std::uint64_t seed_;
  Marking marking_;
  CongestionControl control_;
  FlightLog flights_;
  Scoreboard board_;
  RecycledPaths recycled_;
  SkippedPaths skipped_;
  std::vector<PullPacer> pacers_;
  std::vector<PullRate> pull_rates_;     ///< by pacer; filled if they adapt
  std::vector<std::uint32_t> pacer_of_;  ///< by link; filled if packets are pulled
  PortScheduler scheduler_;
  std::uint32_t ready_lanes_ = 1;  ///< bit set of the queues that could start together with the
                                   ///< current packet
  std::int64_t in_memory_ = 0;     ///< ps; when the packet that is being received is in memory
  WindowQueue windows_;
  EventSort sort_;
  std::vector<Domain> domains_;
  std::vector<const void*> hot_lines_;  ///< by domain: cache lines that a host needs in each window
  std::vector<Event> before_run_;
  std::vector<LinkChange> link_changes_;
  std::vector<Reroute> reroutes_;
  std::vector<Storm> storms_;
  std::vector<std::uint8_t> ignores_pauses_;            ///< by link; empty without a watchdog
  std::vector<Event> arrivals_;                         ///< of the current domain in the current
                                                        ///< window
  std::vector<std::uint32_t> from_domain_, to_domain_;  ///< by link
  std::int64_t lookahead_ = 0, window_ = -1;
  bool is_one_domain_ = false, is_adaptive_ = false;
  bool has_moves_ = false;  ///< some queue pairs change their ports during the run
  std::vector<SendOrder> senders_;
  std::vector<std::uint32_t> sender_of_;               ///< by link
  std::vector<std::uint32_t> outputs_, first_output_;  ///< links by the device at their start
  std::vector<std::uint32_t> route_links_, leg_links_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      reverse_routes_;  ///< first index in route_links_ of
                        ///< each reverse route
  std::vector<Route> routes_;
  std::vector<QueuePair> pairs_;
  std::vector<std::int64_t> message_slots_;  ///< ps, by port: earliest start of the next message;
                                             ///< empty: no limit
  std::vector<std::uint64_t> sent_bytes_;    ///< by link, where switches write records
  std::vector<std::int64_t> exact_starts_;   ///< ps, by link; used with credits on links inside a
                                             ///< domain
  std::vector<std::int64_t> planned_start_;  ///< ps, by sender: time of the event for its next
                                             ///< start
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<LinkPauses> pauses_;
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint8_t> retries_;       ///< by pair: retries since its last progress
  std::vector<std::int64_t> stuck_since_;   ///< ps, by pair: its last progress before the retries
  std::vector<Reader> readers_;             ///< by pair; pairs beyond its end do not read
  std::vector<std::uint32_t> refused_;      ///< by pair: the last packet that was refused because
                                            ///< an earlier one is missing
  std::vector<std::int64_t> last_sent_at_;  ///< ps, by pair; for flowlets
  /// Number of posted minus number of delivered messages. May be negative on one of several
  /// threads.
  std::int64_t open_messages_ = 0;
  std::int64_t now_ = 0;  ///< ps
  std::function<bool(Time now)> keep_going_;
  std::uint64_t next_look_ = 0;         ///< number of events after which the watch is called next
  bool is_stopped_ = false;             ///< by the watch
  std::optional<OpenMessage> failure_;  ///< the first queue pair that has failed
  std::optional<OpenMessage> waiting_;  ///< set at the end of a run by find_waiting()
  std::vector<std::uint32_t> due_;
  std::function<std::string(std::uint32_t link)> name_;
  std::function<std::string(std::uint32_t tag)> message_name_;
  std::int64_t sample_interval_ = 0, next_sample_ = 0;  ///< ps; interval 0: none
  std::vector<QueueSample> samples_;
  Deliveries* deliveries_ = nullptr;
  Counters counters_;

  int threads_ = 1;
  std::shared_ptr<Team> own_team_;       ///< owned by the engine on which run() was called
  Team* team_ = nullptr;                 ///< null on one thread
  std::vector<std::uint16_t> shard_of_;  ///< by domain; empty on one thread
  std::uint32_t shard_ = 0;
  /// Messages to other threads, by the parity of the round and by shard.
  std::array<std::vector<Outbox>, 2> out_;
  std::size_t parity_ = 0;
  std::vector<Outbox::Credit> returned_;   ///< credits returned to this engine in the current round
  std::vector<std::uint32_t> departures_;  ///< links to other threads whose packets have started
  std::int64_t first_mail_ = 0;            ///< the first window in which another thread needs
                                           ///< messages of this round
};

// ---- functions that run for each hop, inline for speed

// Starts a waiting packet on its link. A packet that had to wait for credits (is_root false) is a
// victim of congestion behind this port and is not marked (InfiniBand Architecture Specification
// 1.4, annex A10.2.1).
inline void Engine::begin_waiting(std::uint32_t number, Link& link, std::int64_t start,
                                  bool is_root) {
  Packet& packet = put_on_wire(number, link, start);
  if (control_.needs_records()) write_record(number, link, packet, start);
  if (control_.marks_ecn() && is_root && packet.kind == PacketKind::data && !packet.trimmed &&
      marking_.marks(number, link.queued, packet)) {
    packet.marked = true;
    ++marks_[number];
  }
  leave_buffer(packet, start, link.free_at);
}

// Releases the buffer of a packet in the switch before its link. The packet has started at `now`;
// its last byte has left at `gone`.
inline void Engine::leave_buffer(const Packet& packet, std::int64_t now, std::int64_t gone) {
  const std::uint32_t in_number = link_of(route_links_[packet.at - 1], packet);
  Link& in = links_[in_number];
  buffers_.release(in_number, in, packet.bytes);
  if (!is_plain_ && credits_.are_used()) [[unlikely]]
    give_back(in_number, packet.bytes, gone);
  SwitchState& device = buffers_.at(in.to);
  if (!device.is_exact) return;
  if (device.paused_inputs > 0) {
    if (buffers_.may_resume(in_number, in, packet.lane))
      send_pause(in_number, now, EventKind::resume);
  } else if (device.used < device.calm) {
    device.is_exact = false;
  }
}

inline Packet& Engine::put_on_wire(std::uint32_t number, Link& link, std::int64_t start) {
  const bool is_first = link.head == link.next;
  Packet& packet = links_.begin(link, start);
  if (!is_plain_) [[unlikely]]
    occupy_wire(number, link, packet.bytes, start);
  if (is_first && link.is_away) {
    departures_.push_back(number);
  } else if (is_first && link.is_inside == 0) {
    const std::uint32_t domain = to_domain_[number];
    domains_[domain].inputs.push_back(number);
    wake(domain, packet.time);
  }
  return packet;
}

}  // namespace railyard::sim::packet

#include "collectives/formats/goal_text.hpp"

#include <algorithm>
#include <iterator>

#include "collectives/schedule/transfer_log.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostTransfers = 20'000'000;
/// GOAL counts cpus in a byte.
constexpr std::size_t kCpus = 256;

/// Writes a schedule's transfers channel by channel, step by step.
class ScheduleText {
 public:
  ScheduleText(GoalText& text, const Schedule& schedule, std::span<const std::uint32_t> ranks,
               std::span<const std::uint32_t> begins, std::span<GoalText::Labels> ends)
      : text_(text), schedule_(schedule), ranks_(ranks), begins_(begins), ends_(ends) {}

  void write() {
    const std::vector<LoggedTransfer> log = log_transfers(schedule_, kMostTransfers, "GOAL");
    for (std::size_t begin = 0; begin < log.size();) {
      std::size_t end = begin;
      while (end < log.size() && log[end].channel == log[begin].channel &&
             log[end].step == log[begin].step)
        ++end;
      write_step(log, begin, end);
      begin = end;
    }
  }

 private:
  /// A recv that has arrived in this step counts only for later steps.
  struct Arrival {
    std::uint64_t slot = 0;
    std::uint32_t operation = 0;
  };

  void write_step(const std::vector<LoggedTransfer>& log, std::size_t begin, std::size_t end) {
    if (log[begin].channel != channel_) {
      channel_ = log[begin].channel;
      arrived_.clear();
    }
    std::vector<Arrival> arrivals;
    for (std::size_t i = begin; i < end; ++i) write_transfer(log[i].transfer, arrivals);
    for (const Arrival& arrival : arrivals) arrived_[arrival.slot].push_back(arrival.operation);
  }

  void write_transfer(const Transfer& transfer, std::vector<Arrival>& arrivals) {
    const Bytes bytes = schedule_.bytes(channel_, transfer);
    if (bytes == Bytes()) return;
    GoalText::Labels needed;
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      const auto found = arrived_.find(slot(transfer.source, transfer.first_chunk + c));
      if (found != arrived_.end())
        needed.insert(needed.end(), found->second.begin(), found->second.end());
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    std::uint32_t received = 0;
    if (transfer.relay == kNoParticipant) {
      received = message(transfer.source, transfer.destination, bytes, std::move(needed));
    } else {
      const std::uint32_t handed =
          message(transfer.source, transfer.relay, bytes, std::move(needed));
      received = message(transfer.relay, transfer.destination, bytes, {handed});
    }
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      arrivals.push_back(
          {.slot = slot(transfer.destination, transfer.first_chunk + c), .operation = received});
    }
  }

  /// Returns the label of the recv.
  std::uint32_t message(Participant from, Participant to, Bytes bytes, GoalText::Labels needed) {
    GoalText::Labels receives;
    if (!begins_.empty()) {
      if (needed.empty()) needed.push_back(begins_[from]);
      receives.push_back(begins_[to]);
    }
    const auto [send, receive] =
        text_.message(ranks_[from], ranks_[to], bytes, channel_, needed, receives);
    if (!ends_.empty()) {
      ends_[from].push_back(send);
      ends_[to].push_back(receive);
    }
    return receive;
  }

  [[nodiscard]] std::uint64_t slot(Participant participant, std::uint64_t chunk) const {
    return chunk * ranks_.size() + participant;
  }

  GoalText& text_;
  const Schedule& schedule_;
  std::span<const std::uint32_t> ranks_, begins_;
  std::span<GoalText::Labels> ends_;
  std::size_t channel_ = 0;
  std::unordered_map<std::uint64_t, GoalText::Labels> arrived_;  ///< looked up only
};

}  // namespace

std::uint32_t GoalText::add(std::size_t rank, std::string_view operation, const Labels& needed) {
  RankText& its = ranks_[rank];
  const std::uint32_t label = its.count++;
  fmt::format_to(std::back_inserter(its.operations), "l{}: {}\n", label, operation);
  for (const std::uint32_t earlier : needed)
    fmt::format_to(std::back_inserter(its.operations), "l{} requires l{}\n", label, earlier);
  return label;
}

std::uint32_t GoalText::calc(std::size_t rank, Time time, std::size_t cpu, const Labels& needed) {
  const std::int64_t nanoseconds = (time.picoseconds() + 999) / 1000;
  return add(rank, fmt::format("calc {} cpu {}", nanoseconds, cpu % kCpus), needed);
}

GoalText::Ends GoalText::message(std::size_t from, std::size_t to, Bytes bytes, std::size_t cpu,
                                 const Labels& send_needed, const Labels& receive_needed) {
  const std::uint32_t tag = tags_[std::uint64_t{from} * ranks_.size() + to]++;
  const std::uint32_t send =
      add(from, fmt::format("send {}b to {} tag {} cpu {}", bytes.count(), to, tag, cpu % kCpus),
          send_needed);
  const std::uint32_t receive =
      add(to, fmt::format("recv {}b from {} tag {} cpu {}", bytes.count(), from, tag, cpu % kCpus),
          receive_needed);
  return {.send = send, .receive = receive};
}

void GoalText::require(std::size_t rank, std::uint32_t later, std::uint32_t earlier,
                       bool by_begin) {
  fmt::format_to(std::back_inserter(ranks_[rank].requirements), "l{} {} l{}\n", later,
                 by_begin ? "irequires" : "requires", earlier);
}

void GoalText::add_schedule(const Schedule& schedule, std::span<const std::uint32_t> ranks,
                            std::span<const std::uint32_t> begins, std::span<Labels> ends) {
  ScheduleText(*this, schedule, ranks, begins, ends).write();
}

std::string GoalText::text() const {
  std::string text = fmt::format("num_ranks {}\n", ranks_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    text += fmt::format("rank {} {{\n", rank);
    text.append(ranks_[rank].operations.data(), ranks_[rank].operations.size());
    text.append(ranks_[rank].requirements.data(), ranks_[rank].requirements.size());
    text += "}\n";
  }
  return text;
}

}  // namespace railyard::collectives

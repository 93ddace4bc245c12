#include "collectives/formats/export_goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/transfer_log.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostTransfers = 20'000'000;

/// The lines of one GOAL rank; operations are numbered as they are written.
struct GoalRank {
  fmt::memory_buffer text;
  std::uint32_t operations = 0;
};

class GoalWriter {
 public:
  explicit GoalWriter(const Schedule& schedule)
      : schedule_(schedule), ranks_(schedule.participants()) {}

  std::string write() {
    const std::vector<LoggedTransfer> log = log_transfers(schedule_, kMostTransfers, "GOAL");
    for (std::size_t begin = 0; begin < log.size();) {
      std::size_t end = begin;
      while (end < log.size() && log[end].channel == log[begin].channel &&
             log[end].step == log[begin].step)
        ++end;
      write_step(log, begin, end);
      begin = end;
    }
    return joined();
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
    std::vector<std::uint32_t> needed;
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      const auto found = arrived_.find(slot(transfer.source, transfer.first_chunk + c));
      if (found != arrived_.end())
        needed.insert(needed.end(), found->second.begin(), found->second.end());
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    std::uint32_t received;
    if (transfer.relay == kNoParticipant) {
      received = message(transfer.source, transfer.destination, bytes, needed);
    } else {
      const std::uint32_t handed = message(transfer.source, transfer.relay, bytes, needed);
      received = message(transfer.relay, transfer.destination, bytes, {handed});
    }
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      arrivals.push_back(
          {.slot = slot(transfer.destination, transfer.first_chunk + c), .operation = received});
    }
  }

  /// Writes both ends; returns the number of the recv.
  std::uint32_t message(Participant from, Participant to, Bytes bytes,
                        const std::vector<std::uint32_t>& needed) {
    const std::uint32_t tag = tags_[std::uint64_t{from} * ranks_.size() + to]++;
    GoalRank& sender = ranks_[from];
    const std::uint32_t send = sender.operations++;
    fmt::format_to(std::back_inserter(sender.text), "l{}: send {}b to {} tag {} cpu {}\n", send,
                   bytes.count(), to, tag, channel_ % 256);
    for (const std::uint32_t operation : needed) {
      fmt::format_to(std::back_inserter(sender.text), "l{} requires l{}\n", send, operation);
    }
    GoalRank& receiver = ranks_[to];
    const std::uint32_t receive = receiver.operations++;
    fmt::format_to(std::back_inserter(receiver.text), "l{}: recv {}b from {} tag {} cpu {}\n",
                   receive, bytes.count(), from, tag, channel_ % 256);
    return receive;
  }

  [[nodiscard]] std::uint64_t slot(Participant participant, std::uint64_t chunk) const {
    return chunk * ranks_.size() + participant;
  }

  [[nodiscard]] std::string joined() const {
    std::string text = fmt::format("num_ranks {}\n", ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      text += fmt::format("rank {} {{\n", rank);
      text.append(ranks_[rank].text.data(), ranks_[rank].text.size());
      text += "}\n";
    }
    return text;
  }

  const Schedule& schedule_;
  std::vector<GoalRank> ranks_;
  std::size_t channel_ = 0;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> arrived_;  ///< looked up only
  std::unordered_map<std::uint64_t, std::uint32_t> tags_;                  ///< looked up only
};

}  // namespace

std::string export_goal(const Schedule& schedule) { return GoalWriter(schedule).write(); }

}  // namespace railyard::collectives

#include "collectives/verifier/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/holdings.hpp"
#include "collectives/verifier/contributions.hpp"

namespace railyard::collectives {
namespace {

using SetId = Contributions::SetId;

constexpr std::size_t kMostFindings = 20;

/// Replays one channel.
class ChannelReplay {
 public:
  ChannelReplay(const Schedule& schedule, std::size_t channel, std::vector<std::string>& findings)
      : schedule_(schedule),
        channel_(channel),
        pieces_(schedule.channels()[channel].chunks_per_block),
        chunks_(schedule.blocks() * pieces_),
        findings_(findings) {}

  void run() {
    fill();
    const auto& loops = schedule_.channels()[channel_].loops;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      for (std::uint64_t k = 0; k < loops[loop].repeat; ++k) {
        for (std::size_t step = 0; step < loops[loop].steps.size(); ++step) {
          where_ = {.loop = loop, .iteration = k, .step = step};
          replay(loops[loop].steps[step], k);
          if (full()) return;
        }
      }
    }
    compare();
  }

 private:
  struct Write {
    std::uint64_t slot = 0;
    SetId set = Contributions::kNothing;
    Action action = Action::copy;
  };
  struct Where {
    std::size_t loop = 0;
    std::uint64_t iteration = 0;
    std::size_t step = 0;
  };

  [[nodiscard]] bool full() const { return findings_.size() >= kMostFindings; }
  [[nodiscard]] std::uint32_t ranks() const { return schedule_.group().size(); }

  void report(std::string text) {
    if (!full()) findings_.push_back(std::move(text));
  }

  [[nodiscard]] std::string here() const {
    return fmt::format("channel {}, loop {}, iteration {}, step {}", channel_, where_.loop,
                       where_.iteration, where_.step);
  }

  void fill() {
    held_.assign(schedule_.participants() * chunks_, Contributions::kNothing);
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      const SetId own = sets_.single(rank);
      for (const std::uint64_t block : blocks_before(schedule_.collective(), ranks(), rank)) {
        for (std::uint64_t piece = 0; piece < pieces_; ++piece)
          held_[rank * chunks_ + block * pieces_ + piece] = own;
      }
    }
  }

  /// Whether a transfer is valid. If not, reports the reason.
  bool is_sound(const Transfer& transfer) {
    const Participant count = schedule_.participants();
    if (transfer.source >= count || transfer.destination >= count) {
      report(fmt::format("{}: {} -> {} names a participant beyond the {} there are", here(),
                         transfer.source, transfer.destination, count));
      return false;
    }
    if (transfer.source == transfer.destination) {
      report(fmt::format("{}: rank {} sends to itself", here(), transfer.source));
      return false;
    }
    // Written without additions, which could overflow for large values.
    if (transfer.chunk_count == 0 || transfer.chunk_count > chunks_ ||
        transfer.first_chunk > chunks_ - transfer.chunk_count) {
      report(fmt::format("{}: {} -> {} sends chunks {} + {} of {}", here(), transfer.source,
                         transfer.destination, transfer.first_chunk, transfer.chunk_count,
                         chunks_));
      return false;
    }
    return is_relay_sound(transfer);
  }

  bool is_relay_sound(const Transfer& transfer) {
    const Participant relay = transfer.relay;
    if (relay == kNoParticipant) return true;
    const Group& group = schedule_.group();
    const bool sound = relay < group.size() && transfer.source < group.size() &&
                       relay != transfer.source && relay != transfer.destination &&
                       group.node_index(relay) == group.node_index(transfer.source);
    if (!sound) {
      report(fmt::format(
          "{}: {} -> {} is handed over by {}, which is not another rank of the sender's node",
          here(), transfer.source, transfer.destination, relay));
    }
    return sound;
  }

  void replay(const Step& step, std::uint64_t iteration) {
    writes_.clear();
    const std::uint64_t count = step.size();
    for (std::uint64_t i = 0; i < count && !full(); ++i) read(step.at(i, iteration));
    std::stable_sort(writes_.begin(), writes_.end(),
                     [](const Write& a, const Write& b) { return a.slot < b.slot; });
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      const bool again = i > 0 && writes_[i - 1].slot == writes_[i].slot;
      if (again && (writes_[i].action == Action::copy || writes_[i - 1].action == Action::copy)) {
        report(fmt::format("{}: {} is overwritten and written in the same step", here(),
                           name(writes_[i].slot)));
      }
      SetId& held = held_[writes_[i].slot];
      held = writes_[i].action == Action::copy ? writes_[i].set : sets_.sum(held, writes_[i].set);
    }
  }

  void read(const Transfer& transfer) {
    if (!is_sound(transfer)) return;
    for (std::uint64_t c = 0; c < transfer.chunk_count; ++c) {
      const std::uint64_t chunk = transfer.first_chunk + c;
      const SetId set = held_[transfer.source * chunks_ + chunk];
      if (set == Contributions::kNothing) {
        report(fmt::format("{}: {} -> {} sends chunk {}, which the sender does not hold yet",
                           here(), transfer.source, transfer.destination, chunk));
      }
      writes_.push_back(
          {.slot = transfer.destination * chunks_ + chunk, .set = set, .action = transfer.action});
    }
  }

  [[nodiscard]] std::string name(std::uint64_t slot) const {
    const std::uint64_t who = slot / chunks_;
    const std::uint64_t chunk = slot % chunks_;
    return fmt::format("{} {}, block {}, chunk {}", who < ranks() ? "rank" : "reducer", who,
                       chunk / pieces_, chunk);
  }

  void compare() {
    const SetId everyone = sets_.all(ranks());
    const Collective& collective = schedule_.collective();
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      for (const std::uint64_t block : blocks_after(collective, ranks(), rank)) {
        const auto owner = contributor(collective, ranks(), block);
        compare_block(rank, block, owner ? sets_.single(*owner) : everyone);
      }
    }
  }

  void compare_block(std::uint32_t rank, std::uint64_t block, SetId wanted) {
    for (std::uint64_t piece = 0; piece < pieces_ && !full(); ++piece) {
      const std::uint64_t slot = rank * chunks_ + block * pieces_ + piece;
      if (held_[slot] == wanted) continue;
      report(fmt::format("channel {}, {}: holds {}, should hold {}", channel_, name(slot),
                         sets_.to_text(held_[slot]), sets_.to_text(wanted)));
    }
  }

  const Schedule& schedule_;
  std::size_t channel_;
  std::uint64_t pieces_;
  std::uint64_t chunks_;
  std::vector<std::string>& findings_;
  Contributions sets_;
  std::vector<SetId> held_;  ///< participant * chunks_ + chunk
  std::vector<Write> writes_;
  Where where_;
};

}  // namespace

std::vector<std::string> verify(const Schedule& schedule) {
  std::vector<std::string> findings;
  for (std::size_t channel = 0; channel < schedule.channels().size(); ++channel) {
    ChannelReplay(schedule, channel, findings).run();
    if (findings.size() >= kMostFindings) break;
  }
  return findings;
}

}  // namespace railyard::collectives

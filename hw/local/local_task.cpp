#include "hw/local/local_task.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace railyard::hw {
namespace {

/// Large enough that scheduling a piece costs little relative to dividing it, small enough to
/// occupy all threads.
constexpr std::uint64_t kPiece = 64 << 10;

std::vector<Move> averaged_pieces(const BlockPlan& plan) {
  std::vector<Move> pieces;
  if (!is_averaged(plan.collective)) return pieces;
  for (const BlockPlace& place : plan.after) {
    for (std::uint64_t done = 0; done < plan.block_bytes; done += kPiece) {
      const std::uint64_t at = place.offset + done;
      pieces.push_back({at, at, std::min(kPiece, plan.block_bytes - done), false});
    }
  }
  return pieces;
}

}  // namespace

LocalTask::LocalTask(const collectives::Schedule& schedule, Options options)
    : schedule_(schedule),
      program_(compile(schedule)),
      memory_(plan_of(schedule, program_), options.seed, options.separate_inputs),
      pool_(options.threads),
      reduce_(reduction(schedule.collective().type, schedule.collective().op)),
      element_(static_cast<std::size_t>(collectives::size_of(schedule.collective().type).count())),
      averaged_(averaged_pieces(memory_.plan())),
      averaging_(static_cast<OperationId>(averaged_.size()), {}) {}

void LocalTask::run(const std::function<void(OperationId)>& around) {
  memory_.bring();
  if (around)
    pool_.run(around);
  else
    pool_.run([this](OperationId id) { execute(id); });
  if (!averaged_.empty()) average_pieces();
}

void LocalTask::average_pieces() {
  const Averaging divide = averaging(schedule_.collective().type);
  const std::uint32_t ranks = schedule_.group().size();
  pool_.prepare(averaging_);
  pool_.run([&](OperationId id) {
    const Move& piece = averaged_[id];
    divide(memory_.data() + piece.to, piece.bytes / element_, ranks);
  });
}

void LocalTask::execute(OperationId id) {
  std::byte* arena = memory_.data();
  for (const Move& move : program_.moves_of(program_.operations[id])) {
    if (move.reduces)
      reduce_(arena + move.to, arena + move.from, move.bytes / element_);
    else
      std::memcpy(arena + move.to, arena + move.from, move.bytes);
  }
}

int threads_for(int asked, std::uint32_t ranks) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<int>(std::min(asked > 0 ? static_cast<unsigned>(asked) : cores, ranks));
}

}  // namespace railyard::hw

#include "hw/local_task.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace railyard::hw {

LocalTask::LocalTask(const collectives::Schedule& schedule, Options options)
    : schedule_(schedule),
      program_(compile(schedule)),
      memory_(plan_of(schedule, program_), options.seed, options.separate_inputs),
      pool_(options.threads),
      reduce_(reduction(schedule.collective().type, schedule.collective().op)),
      element_(static_cast<std::size_t>(collectives::size_of(schedule.collective().type).count())) {
}

void LocalTask::run(const std::function<void(OperationId)>& around) {
  memory_.bring();
  if (around)
    pool_.run(around);
  else
    pool_.run([this](OperationId id) { execute(id); });
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

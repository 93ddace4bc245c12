#include "hw/mpi/mpi_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/mpi/communicator.hpp"
#include "hw/mpi/mpi_world.hpp"
#include "hw/mpi/native.hpp"
#include "hw/mpi/replay.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/roll_call.hpp"
#include "hw/world/watch.hpp"

namespace railyard::hw::mpi {
namespace {

/// Large enough that a message's start costs little beside its bytes on a fast network (1 MiB is
/// 21 us at 400 Gb/s), small enough that reductions overlap with what is still on its way.
constexpr std::uint64_t kSegment = 1 << 20;
/// MPI counts in an int.
constexpr std::uint64_t kLargestSegment = 1 << 30;
/// Segments are cut at cache lines, which hold whole elements of every type.
constexpr std::uint64_t kLine = 64;

std::uint64_t segment_of(Bytes asked) {
  if (asked == Bytes()) return kSegment;
  const auto bytes = static_cast<std::uint64_t>(asked.count());
  return std::clamp((bytes + kLine - 1) / kLine * kLine, kLine, kLargestSegment);
}

/// How messages go out.
struct Pieces {
  std::uint64_t segment;    ///< bytes
  std::uint32_t in_flight;  ///< messages at once
};

class ScheduleRun final : public LiveRun {
 public:
  ScheduleRun(const Communicator& communicator, MPI_Comm comm, const LiveTask& task,
              const World& world, const Pieces& pieces)
      : world_(world),
        program_(
            compile(*task.schedule, {.processes = world.processes(), .process = world.process()})),
        memory_(plan_of(*task.schedule, program_), task.seed, !task.in_place),
        replay_(communicator, comm, program_,
                {.reduce = reduction(task.collective.type, task.collective.op),
                 .element = static_cast<std::size_t>(size_of(task.collective.type).count()),
                 .segment = pieces.segment,
                 .in_flight = pieces.in_flight}) {}

  void reset() override { memory_.reset(); }
  void restore() override { memory_.restore(); }

  std::vector<Span> run(int times) override {
    const Time begin = world_.now();
    for (int i = 0; i < times; ++i) {
      memory_.bring();
      replay_.run(memory_.data());
      finish();
    }
    return {{.rank = world_.process(), .begin = begin, .end = world_.now()}};
  }

  CheckResult check() override { return memory_.check(); }

 private:
  void finish() {
    const BlockPlan& plan = memory_.plan();
    if (!is_averaged(plan.collective)) return;
    average(memory_.data(), plan.after, plan.block_bytes, plan.collective.type, plan.ranks);
  }

  const World& world_;
  Program program_;
  BlockMemory memory_;
  Replay replay_;
};

class MpiBackend final : public LiveBackend {
 public:
  explicit MpiBackend(const LiveOptions& options)
      : communicator_(std::make_shared<Communicator>(options.timeout)),
        world_(open_world(communicator_)),
        watch_(options.timeout, options.fail),
        pieces_{segment_of(options.segment), options.in_flight} {
    const Caller& caller = communicator_->caller;
    if (!options.command.empty()) require_same_command(*world_, options.command);
    if (options.ranks != 0 && options.ranks != ranks()) {
      throw InputError("", "--gpus",
                       fmt::format("{}, but the launcher started {} ranks", options.ranks, ranks()),
                       "give both the same");
    }
    require(MPI_Comm_dup(communicator_->comm, &comm_), caller, "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    if (options.fail) {
      roll_call_ = std::make_unique<RollCall>(*world_, options.timeout, options.fail);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] World& world() override { return *world_; }
  [[nodiscard]] std::uint32_t ranks() const override { return world_->processes(); }
  [[nodiscard]] std::uint32_t process_of(std::uint32_t rank) const override { return rank; }

  [[nodiscard]] std::string why_not(const LiveTask& task) const override {
    return task.schedule == nullptr ? why_not_native(task.collective) : "";
  }

  [[nodiscard]] std::unique_ptr<LiveRun> prepare(const LiveTask& task) override {
    if (task.schedule == nullptr) {
      return native_run(*communicator_, comm_, task, *world_, watch_);
    }
    return std::make_unique<ScheduleRun>(*communicator_, comm_, task, *world_, pieces_);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"library", Communicator::library()},
            {"segment", fmt::format("{} bytes", pieces_.segment)},
            {"in flight", fmt::format("{}", pieces_.in_flight)},
            {"cores", communicator_->waiting.shares ? "shared by more ranks than there are"
                                                    : "one per rank"}};
  }

 private:
  std::shared_ptr<Communicator> communicator_;
  std::unique_ptr<World> world_;
  std::unique_ptr<RollCall> roll_call_;
  Watch watch_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Pieces pieces_;
};

}  // namespace

std::unique_ptr<LiveBackend> open(const LiveOptions& options) {
  return std::make_unique<MpiBackend>(options);
}

}  // namespace railyard::hw::mpi

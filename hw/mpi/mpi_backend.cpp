#include "hw/mpi/mpi_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "hw/mpi/communicator.hpp"
#include "hw/mpi/mpi_meetings.hpp"
#include "hw/mpi/mpi_world.hpp"
#include "hw/mpi/native.hpp"
#include "hw/mpi/rank_schedule.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/call_watchdog.hpp"
#include "hw/world/heartbeat_monitor.hpp"

namespace railyard::hw::mpi {
namespace {

/// Large enough that the start of a message costs little relative to its bytes on a fast network (1
/// MiB takes 21 us at 400 Gb/s), small enough that reductions overlap with the transfer.
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

class ScheduleRun final : public LiveRun {
 public:
  ScheduleRun(const Communicator& communicator, MPI_Comm comm, const LiveTask& task,
              const World& world, const Pieces& pieces)
      : world_(world),
        schedule_(communicator, comm, *task.schedule,
                  {.division = {.processes = world.processes(), .process = world.process()},
                   .ranks = {},
                   .seed = task.seed,
                   .separate_inputs = !task.in_place,
                   .pieces = pieces}) {}

  void reset() override { schedule_.memory().reset(); }
  void restore() override { schedule_.memory().restore(); }

  std::vector<Span> run(int times) override {
    const Time begin = world_.now();
    for (int i = 0; i < times; ++i) schedule_.run();
    return {{.rank = world_.process(), .begin = begin, .end = world_.now()}};
  }

  CheckResult check() override { return schedule_.memory().check(); }

 private:
  const World& world_;
  RankSchedule schedule_;
};

class MpiBackend final : public LiveBackend {
 public:
  explicit MpiBackend(const LiveOptions& options)
      : communicator_(std::make_shared<Communicator>(options.timeout)),
        world_(open_world(communicator_)),
        watchdog_(options.timeout, options.fail),
        pieces_{segment_of(options.segment), options.in_flight} {
    const Caller& caller = communicator_->caller;
    if (!options.command.empty()) require_same_command(*world_, options.command);
    if (options.ranks != 0 && options.ranks != ranks()) {
      throw InputError("", "--gpus",
                       fmt::format("{}, but the launcher started {} ranks", options.ranks, ranks()),
                       "give both the same");
    }
    for (MPI_Comm* comm : {&comm_, &signals_}) {
      require(MPI_Comm_dup(communicator_->comm, comm), caller, "MPI_Comm_dup");
      MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    }
    if (options.fail) {
      roll_call_ = std::make_unique<HeartbeatMonitor>(*world_, options.timeout, options.fail);
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
      return native_run(*communicator_, comm_, task, *world_, watchdog_);
    }
    return std::make_unique<ScheduleRun>(*communicator_, comm_, task, *world_, pieces_);
  }

  [[nodiscard]] std::string why_no_workloads() const override { return {}; }
  [[nodiscard]] std::unique_ptr<LiveMeetings> meetings(const LiveLoads& loads,
                                                       std::uint64_t seed) override {
    return std::make_unique<MpiMeetings>(
        *communicator_, *world_, loads,
        MpiMeetings::Options{
            .messages = comm_, .signals = signals_, .pieces = pieces_, .seed = seed});
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
  std::unique_ptr<HeartbeatMonitor> roll_call_;
  CallWatchdog watchdog_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm signals_ = MPI_COMM_NULL;
  Pieces pieces_;
};

}  // namespace

std::unique_ptr<LiveBackend> open(const LiveOptions& options) {
  return std::make_unique<MpiBackend>(options);
}

}  // namespace railyard::hw::mpi

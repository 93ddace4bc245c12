#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"
#include "hw/local/check_result.hpp"
#include "hw/workload/live_meetings.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// A live measurement to run.
struct LiveTask {
  collectives::Collective collective;
  /// Our schedule, which must outlive the run; nullptr: the library's own collective
  /// (MPI_Allreduce, ncclAllReduce...).
  const collectives::Schedule* schedule = nullptr;
  bool in_place = true;    ///< false: inputs are in separate memory, and keep their values
  std::uint64_t seed = 1;  ///< of the values
  bool by_rank = false;    ///< measures each rank separately, even if that takes time
};

/// When a rank entered and left what was run, on World::now().
struct Span {
  std::uint32_t rank = 0;
  Time begin, end;
};

/// A task with its memory, ready to be run again and again.
class LiveRun {
 public:
  virtual ~LiveRun() = default;
  /// Writes the inputs of this process's ranks; all other memory is filled with 0xA5.
  virtual void reset() = 0;
  /// Writes the inputs of this process's ranks, and leaves all other memory unchanged.
  virtual void restore() = 0;
  /// Runs the task `times` times without a pause and waits for the results. Returns one span per
  /// rank of this process that has work. A backend that runs all its ranks as one returns one span,
  /// unless the task has by_rank. Throws BackendError with host, rank and call.
  [[nodiscard]] virtual std::vector<Span> run(int times) = 0;
  /// Compares the results of this process's ranks with the expected values, bit by bit.
  [[nodiscard]] virtual CheckResult check() = 0;
};

/// A library's choice for its own collective; names as in `railyard explain`.
struct LibraryChoice {
  std::string algorithm, protocol;
  int channels = 0;  ///< 0: not reported
};

class LiveLoads;

/// A library or machine that runs collectives for real: the plug point of `railyard bench`.
/// Every process of its world holds one and makes the same calls.
class LiveBackend {
 public:
  virtual ~LiveBackend() = default;
  /// "local", "mpi", "nccl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual World& world() = 0;
  /// Ranks over all processes; a process may hold several.
  [[nodiscard]] virtual std::uint32_t ranks() const = 0;
  /// The process that holds a rank.
  [[nodiscard]] virtual std::uint32_t process_of(std::uint32_t rank) const = 0;
  /// Empty if the task can be run, else why not, with what would make it possible.
  [[nodiscard]] virtual std::string why_not(const LiveTask& task) const = 0;
  /// Requires why_not(task).empty(). Throws BackendError: memory.
  [[nodiscard]] virtual std::unique_ptr<LiveRun> prepare(const LiveTask& task) = 0;
  /// Empty if it can run the collectives and messages of workloads, else why not.
  [[nodiscard]] virtual std::string why_no_workloads() const {
    return "it runs single collectives; the backends local and mpi run workloads";
  }
  /// Collective over the processes. `loads` must outlive it; `seed`: of the values. Requires
  /// why_no_workloads().empty(). Throws BackendError: memory.
  [[nodiscard]] virtual std::unique_ptr<LiveMeetings> meetings(const LiveLoads& /*loads*/,
                                                               std::uint64_t /*seed*/) {
    return nullptr;
  }
  /// Properties of the backend for provenance: {"library", "Open MPI v4.1.4"}, {"device 0", ...}.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
  /// The library's choice for a finished task, if the library reports it.
  [[nodiscard]] virtual std::optional<LibraryChoice> choice(const LiveTask&) const { return {}; }
  /// Notes for readers of the numbers, one sentence each; call it after all tasks.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// How the backend nccl uses GPUs.
struct GpuOptions {
  std::string libraries{};  ///< folder of libnccl.so.2 and CUDA's libraries; "": the loader's
                            ///< paths
  bool share = false;       ///< allow several ranks per GPU if there are more ranks than GPUs
  bool graph = false;       ///< capture each task as a CUDA graph and launch that
  bool registered = false;  ///< register buffers with NCCL
  bool events = false;      ///< measure with CUDA events instead of the host's clock
  bool log = false;         ///< read NCCL's choices from its log
};

/// Options for opening a backend; each backend uses those that apply to it.
struct LiveOptions {
  std::uint32_t ranks = 0;  ///< 0: all available ones
  int threads = 0;          ///< local: 0 is one per core
  Time timeout{};           ///< a call that takes longer counts as failed; zero: no limit
  Bytes segment{};          ///< mpi: size of the segments of messages; zero: the backend's own
  /// mpi: concurrent messages of a rank; the others wait in the schedule's order. Eight, as a
  /// channel of NCCL serves that many peers at the same time (docs/models/collectives.md).
  std::uint32_t in_flight = 8;
  GpuOptions gpu{};  ///< nccl
  /// The command line. It must be the same on all processes, which is checked first. "": not
  /// checked.
  std::string command{};
  /// Called on a separate thread if a library call does not return within the timeout, or another
  /// process has ended. It must report the error and end the process. Required with several
  /// processes.
  std::function<void(const std::string& error)> fail{};
};

struct GpuTools;

/// A backend that a program was built with.
struct LiveEntry {
  std::string_view name;
  /// Throws BackendError if the machine or library is missing, with the way to get it.
  std::unique_ptr<LiveBackend> (*open)(const LiveOptions& options);
  const GpuTools* gpus = nullptr;  ///< nccl: tests of single GPUs (hw/gpu_tools.hpp)
};

}  // namespace railyard::hw

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

/// What is to be run for real.
struct LiveTask {
  collectives::Collective collective;
  /// Our schedule, which must outlive the run; nullptr: the library's own collective
  /// (MPI_Allreduce, ncclAllReduce...).
  const collectives::Schedule* schedule = nullptr;
  bool in_place = true;    ///< else what ranks bring lies in memory of its own, and stays
  std::uint64_t seed = 1;  ///< of the values
  bool by_rank = false;    ///< a span for each rank is wanted, where that costs time too
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
  /// Writes what this process's ranks bring; everything else is filled with 0xA5.
  virtual void reset() = 0;
  /// Writes what this process's ranks bring, and leaves the rest.
  virtual void restore() = 0;
  /// Runs it `times` times back to back, and waits until the data is there. One span per rank of
  /// this process that has something to do; a backend that runs all its ranks as one gives one,
  /// unless the task asks for them by rank. Throws BackendError naming host, rank and call.
  [[nodiscard]] virtual std::vector<Span> run(int times) = 0;
  /// Compares what this process's ranks have with what they must have, bit by bit.
  [[nodiscard]] virtual CheckResult check() = 0;
};

/// What a library says that it chose for its own collective; names as explain has them.
struct LibraryChoice {
  std::string algorithm, protocol;
  int channels = 0;  ///< 0: not said
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
  /// What there is to know of it for provenance: {"library", "Open MPI v4.1.4"}, {"device 0", ...}.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
  /// What the library chose for a task that has run, where it says so.
  [[nodiscard]] virtual std::optional<LibraryChoice> choice(const LiveTask&) const { return {}; }
  /// What a reader of the numbers should know, a sentence each; asked when all has run.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// How the backend nccl uses GPUs.
struct GpuOptions {
  std::string libraries{};  ///< folder of libnccl.so.2 and CUDA's; "": where the loader looks
  bool share = false;       ///< several ranks on a GPU where there are more ranks than GPUs
  bool graph = false;       ///< each task is captured as a CUDA graph, which is launched
  bool registered = false;  ///< buffers are registered with NCCL
  bool events = false;      ///< times are of CUDA events, not of the host's clock
  bool log = false;         ///< NCCL's log is read for what it chose
};

/// What a backend is told when it is opened; each takes what it has a use for.
struct LiveOptions {
  std::uint32_t ranks = 0;  ///< asked for; 0: as many as there are
  int threads = 0;          ///< local: 0 is one per core
  Time timeout{};           ///< a call that takes longer has failed; zero: wait for ever
  Bytes segment{};          ///< mpi: pieces that messages are cut into; zero: its own
  /// mpi: messages that a rank sends at once, the others wait in the schedule's order. Eight, as
  /// many peers as a channel of NCCL serves at once (docs/models/collectives.md).
  std::uint32_t in_flight = 8;
  GpuOptions gpu{};  ///< nccl
  /// The command line, which must be the same on all processes: checked before anything else is
  /// agreed. "": not checked.
  std::string command{};
  /// Called, on a thread of its own, where a library call does not return within the timeout or
  /// another process is gone: says so and ends this process. Must be set where there are several.
  std::function<void(const std::string& error)> fail{};
};

struct GpuTools;

/// A backend that a program was built with.
struct LiveEntry {
  std::string_view name;
  /// Throws BackendError where the machine or library is not there, saying how to get it.
  std::unique_ptr<LiveBackend> (*open)(const LiveOptions& options);
  const GpuTools* gpus = nullptr;  ///< nccl: tests of single GPUs (hw/gpu_tools.hpp)
};

}  // namespace railyard::hw

#include "hw/local/local_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "core/diagnostic.hpp"
#include "hw/local/local_meetings.hpp"
#include "hw/local/local_task.hpp"

namespace railyard::hw {
namespace {

class LocalRun final : public LiveRun {
 public:
  LocalRun(const LiveTask& task, int threads, Time timeout, const World& world)
      : task_(*task.schedule,
              {.threads = threads, .seed = task.seed, .separate_inputs = !task.in_place}),
        by_rank_(task.by_rank),
        timeout_(timeout),
        world_(world) {}

  void reset() override { task_.memory().reset(); }
  void restore() override { task_.memory().restore(); }

  std::vector<Span> run(int times) override {
    task_.prepare();
    if (by_rank_) stamps_.assign(task_.program().operations.size(), {});
    const Time begin = world_.now();
    for (int i = 0; i < times; ++i) {
      if (i != 0) task_.prepare();
      const Time before = world_.now();
      run_once();
      check_time(world_.now() - before);
    }
    if (by_rank_) return spans_of_ranks();
    return {{.rank = 0, .begin = begin, .end = world_.now()}};
  }

  CheckResult check() override { return task_.memory().check(); }

 private:
  /// Threads of this process cannot be interrupted; a run that took too long is an error
  /// afterwards.
  void check_time(Time taken) const {
    if (timeout_ == Time() || taken <= timeout_) return;
    throw BackendError(fmt::format("{} took {}, longer than the timeout of {}",
                                   to_text(task_.schedule().collective().kind),
                                   core::to_text(taken), core::to_text(timeout_)));
  }

  void run_once() {
    if (!by_rank_) {
      task_.run();
      return;
    }
    task_.run([this](OperationId id) {
      const Time begin = world_.now();
      task_.execute(id);
      stamps_[id] = {.rank = 0, .begin = begin, .end = world_.now()};
    });
  }

  /// One span per rank: from its first operation to its last.
  [[nodiscard]] std::vector<Span> spans_of_ranks() const {
    std::map<std::uint32_t, Span> by_rank;
    for (OperationId id = 0; id < stamps_.size(); ++id) {
      const Operation& operation = task_.program().operations[id];
      for (const collectives::Participant rank : {operation.source, operation.destination}) {
        if (rank >= task_.schedule().group().size()) continue;  // a switch
        const auto [found, is_first] = by_rank.try_emplace(rank, stamps_[id]);
        Span& span = found->second;
        span.rank = rank;
        span.begin = std::min(span.begin, stamps_[id].begin);
        span.end = std::max(span.end, stamps_[id].end);
      }
    }
    std::vector<Span> spans;
    for (const auto& [rank, span] : by_rank) spans.push_back(span);
    return spans;
  }

  LocalTask task_;
  bool by_rank_;
  Time timeout_;  ///< limit per iteration; zero: none
  const World& world_;
  std::vector<Span> stamps_;  ///< by operation, of the last run
};

class LocalBackend final : public LiveBackend {
 public:
  explicit LocalBackend(const LiveOptions& options)
      : ranks_(options.ranks),
        asked_threads_(options.threads),
        threads_(threads_for(options.threads, options.ranks)),
        timeout_(options.timeout) {}

  [[nodiscard]] std::string_view name() const override { return "local"; }
  [[nodiscard]] World& world() override { return world_; }
  [[nodiscard]] std::uint32_t ranks() const override { return ranks_; }
  [[nodiscard]] std::uint32_t process_of(std::uint32_t) const override { return 0; }

  [[nodiscard]] std::string why_not(const LiveTask& task) const override {
    if (task.schedule != nullptr) return {};
    return "threads of one process have no library collective; the backends mpi and nccl do";
  }

  [[nodiscard]] std::unique_ptr<LiveRun> prepare(const LiveTask& task) override {
    return std::make_unique<LocalRun>(task, threads_, timeout_, world_);
  }

  [[nodiscard]] std::string why_no_workloads() const override { return {}; }
  [[nodiscard]] std::unique_ptr<LiveMeetings> meetings(const LiveLoads& loads,
                                                       std::uint64_t seed) override {
    return std::make_unique<LocalMeetings>(
        loads, world_,
        LocalMeetings::Options{.threads = asked_threads_, .seed = seed, .timeout = timeout_});
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"threads", fmt::format("{}", threads_)},
            {"cores", fmt::format("{}", std::thread::hardware_concurrency())}};
  }

 private:
  SingleProcessWorld world_;
  std::uint32_t ranks_;
  int asked_threads_;
  int threads_;
  Time timeout_;
};

}  // namespace

std::unique_ptr<LiveBackend> open_local(const LiveOptions& options) {
  return std::make_unique<LocalBackend>(options);
}

}  // namespace railyard::hw

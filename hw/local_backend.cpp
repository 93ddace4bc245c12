#include "hw/local_backend.hpp"

#include <fmt/format.h>

#include <thread>

#include "hw/local_task.hpp"

namespace railyard::hw {
namespace {

class LocalRun final : public LiveRun {
 public:
  LocalRun(const LiveTask& task, int threads, const World& world)
      : task_(*task.schedule,
              {.threads = threads, .seed = task.seed, .separate_inputs = !task.in_place}),
        world_(world) {}

  void reset() override { task_.memory().reset(); }
  void restore() override { task_.memory().restore(); }

  std::vector<Span> run(int times) override {
    task_.prepare();
    const Time begin = world_.now();
    for (int i = 0; i < times; ++i) {
      if (i != 0) task_.prepare();
      task_.run();
    }
    return {{.rank = 0, .begin = begin, .end = world_.now()}};
  }

  CheckResult check() override { return task_.memory().check(); }

 private:
  LocalTask task_;
  const World& world_;
};

class LocalBackend final : public LiveBackend {
 public:
  explicit LocalBackend(const LiveOptions& options)
      : ranks_(options.ranks), threads_(threads_for(options.threads, options.ranks)) {}

  [[nodiscard]] std::string_view name() const override { return "local"; }
  [[nodiscard]] World& world() override { return world_; }
  [[nodiscard]] std::uint32_t ranks() const override { return ranks_; }
  [[nodiscard]] std::uint32_t process_of(std::uint32_t) const override { return 0; }

  [[nodiscard]] std::string why_not(const LiveTask& task) const override {
    if (task.schedule != nullptr) return {};
    return "threads of one process have no library collective; the backends mpi and nccl do";
  }

  [[nodiscard]] std::unique_ptr<LiveRun> prepare(const LiveTask& task) override {
    return std::make_unique<LocalRun>(task, threads_, world_);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"threads", fmt::format("{}", threads_)},
            {"cores", fmt::format("{}", std::thread::hardware_concurrency())}};
  }

 private:
  LoneWorld world_;
  std::uint32_t ranks_;
  int threads_;
};

}  // namespace

std::unique_ptr<LiveBackend> open_local(const LiveOptions& options) {
  return std::make_unique<LocalBackend>(options);
}

}  // namespace railyard::hw

#include "hw/local/worker_pool.hpp"

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace railyard::hw {
namespace {

/// The ready operations of a thread: it uses them as a stack; other threads steal the oldest.
class ReadyStack {
 public:
  void push(OperationId operation) {
    const std::lock_guard lock(mutex_);
    operations_.push_back(operation);
  }
  std::optional<OperationId> pop() { return take(false); }
  std::optional<OperationId> steal() { return take(true); }

 private:
  std::optional<OperationId> take(bool oldest) {
    const std::lock_guard lock(mutex_);
    if (operations_.empty()) return std::nullopt;
    const OperationId operation = oldest ? operations_.front() : operations_.back();
    if (oldest)
      operations_.pop_front();
    else
      operations_.pop_back();
    return operation;
  }
  std::mutex mutex_;
  std::deque<OperationId> operations_;
};

}  // namespace

class WorkerPool::State {
 public:
  explicit State(int threads) : stacks_(static_cast<std::size_t>(threads)) {
    threads_.reserve(stacks_.size());
    for (std::size_t i = 0; i < stacks_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
  }

  ~State() {
    {
      const std::lock_guard lock(mutex_);
      quitting_ = true;
    }
    run_begins_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] std::size_t size() const { return stacks_.size(); }

  void prepare(const TaskGraph& graph) {
    if (capacity_ < graph.size()) {
      waits_for_ = std::make_unique<std::atomic<std::uint32_t>[]>(graph.size());
      capacity_ = graph.size();
    }
    graph_ = &graph;
    std::size_t next = 0;
    for (OperationId i = 0; i < graph.size(); ++i) {
      waits_for_[i].store(graph.waits_for(i), std::memory_order_relaxed);
      if (graph.waits_for(i) == 0) stacks_[next++ % size()].push(i);
    }
    left_.store(graph.size());
  }

  void run(const std::function<void(OperationId)>& execute) {
    assert(graph_ != nullptr);
    if (left_.load() == 0) return;
    std::unique_lock lock(mutex_);
    execute_ = &execute;
    failure_ = nullptr;
    busy_ = size();
    ++runs_;
    run_begins_.notify_all();
    run_ends_.wait(lock, [this] { return busy_ == 0; });
    execute_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work(std::size_t self) {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex_);
        run_begins_.wait(lock, [&] { return quitting_ || runs_ != seen; });
        if (quitting_) return;
        seen = runs_;
      }
      work_through(self);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) run_ends_.notify_all();
    }
  }

  void work_through(std::size_t self) {
    constexpr int kPolls = 64;  // looks around before it sleeps: a hand-over takes about as long
    for (int idle = 0; left_.load() != 0;) {
      std::optional<OperationId> operation = find(self);
      if (!operation && ++idle > kPolls) operation = sleep(self);
      if (!operation) {
        std::this_thread::yield();
        continue;
      }
      idle = 0;
      perform(self, *operation);
    }
  }

  std::optional<OperationId> find(std::size_t self) {
    std::optional<OperationId> operation = stacks_[self].pop();
    for (std::size_t i = 1; !operation && i < size(); ++i) {
      operation = stacks_[(self + i) % size()].steal();
    }
    return operation;
  }

  /// Waits until an operation may have become ready. The sleeper counts itself before it checks
  /// once more, and a pusher checks for sleepers after its push, so that one of them sees the
  /// other.
  std::optional<OperationId> sleep(std::size_t self) {
    sleepers_.fetch_add(1);
    const std::uint32_t before = signal_.load();
    std::optional<OperationId> operation = find(self);
    if (!operation && left_.load() != 0) signal_.wait(before);
    sleepers_.fetch_sub(1);
    return operation;
  }

  void wake() {
    if (sleepers_.load() == 0) return;
    signal_.fetch_add(1);
    signal_.notify_all();
  }

  void perform(std::size_t self, OperationId operation) {
    try {
      (*execute_)(operation);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    bool pushed = false;
    for (const OperationId next : graph_->successors(operation)) {
      if (waits_for_[next].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      stacks_[self].push(next);
      pushed = true;
    }
    const bool last = left_.fetch_sub(1) == 1;
    if (pushed || last) wake();
  }

  std::vector<ReadyStack> stacks_;
  std::vector<std::thread> threads_;
  const TaskGraph* graph_ = nullptr;
  OperationId capacity_ = 0;
  std::unique_ptr<std::atomic<std::uint32_t>[]> waits_for_;
  std::atomic<std::uint32_t> left_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> signal_{0};

  std::mutex mutex_;
  std::condition_variable run_begins_;
  std::condition_variable run_ends_;
  std::uint64_t runs_ = 0;
  std::size_t busy_ = 0;
  bool quitting_ = false;
  const std::function<void(OperationId)>* execute_ = nullptr;
  std::exception_ptr failure_;
};

WorkerPool::WorkerPool(int threads) : state_(std::make_unique<State>(threads)) {}
WorkerPool::~WorkerPool() = default;

int WorkerPool::threads() const { return static_cast<int>(state_->size()); }
void WorkerPool::prepare(const TaskGraph& graph) { state_->prepare(graph); }
void WorkerPool::run(const std::function<void(OperationId)>& execute) { state_->run(execute); }

}  // namespace railyard::hw

#include "hw/mpi/mpi_world.hpp"

#include <chrono>
#include <limits>
#include <string>

#include "hw/mpi/communicator.hpp"

namespace railyard::hw::mpi {
namespace {

std::int64_t steady_ns() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class MpiWorld final : public World {
 public:
  explicit MpiWorld(std::shared_ptr<Communicator> communicator)
      : communicator_(std::move(communicator)) {
    synchronise();
  }

  [[nodiscard]] std::string_view name() const override { return "mpi"; }
  [[nodiscard]] std::uint32_t process() const override {
    return static_cast<std::uint32_t>(communicator_->caller.rank);
  }
  [[nodiscard]] std::uint32_t processes() const override {
    return static_cast<std::uint32_t>(communicator_->ranks);
  }
  [[nodiscard]] const std::vector<ProcessPlace>& places() const override {
    return communicator_->caller.places;
  }
  void barrier() override { communicator_->barrier(); }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    return communicator_->gather(mine);
  }
  [[nodiscard]] std::string broadcast(std::string_view mine) override {
    return communicator_->broadcast(mine);
  }
  [[nodiscard]] Time now() const override { return Time::nanoseconds(steady_ns() - epoch_ns_); }

 private:
  /// Sets the epoch: the start of process 0 on this process's clock. Processes on the machine of
  /// process 0 share its clock. Others estimate the offset from the quickest of some round trips,
  /// with an error of at most half its time.
  void synchronise() {
    const std::int64_t root_epoch = std::stoll(broadcast(std::to_string(steady_ns())));
    epoch_ns_ = root_epoch;
    for (int rank = 1; rank < communicator_->ranks; ++rank) {
      const bool same = places()[static_cast<std::size_t>(rank)].machine == places()[0].machine;
      if (!same) compare_clock(rank, root_epoch);
    }
  }

  void compare_clock(int rank, std::int64_t root_epoch) {
    constexpr int kRounds = 8;
    const Caller& caller = communicator_->caller;
    std::int64_t quickest = std::numeric_limits<std::int64_t>::max();
    for (int round = 0; round < kRounds; ++round) {
      if (caller.rank == 0) {
        std::int64_t stamp = 0;
        communicator_->receive(&stamp, sizeof(stamp), rank);
        stamp = steady_ns();
        communicator_->send(&stamp, sizeof(stamp), rank);
      } else if (caller.rank == rank) {
        const std::int64_t before = steady_ns();
        std::int64_t root = before;
        communicator_->send(&root, sizeof(root), 0);
        communicator_->receive(&root, sizeof(root), 0);
        const std::int64_t trip = steady_ns() - before;
        if (trip >= quickest) continue;
        quickest = trip;
        epoch_ns_ = root_epoch + (before + trip / 2 - root);
      }
    }
  }

  std::shared_ptr<Communicator> communicator_;
  std::int64_t epoch_ns_ = 0;
};

}  // namespace

std::unique_ptr<World> open_world(std::shared_ptr<Communicator> communicator) {
  return std::make_unique<MpiWorld>(std::move(communicator));
}

std::unique_ptr<World> open_world(Time timeout) {
  return open_world(std::make_shared<Communicator>(timeout));
}

}  // namespace railyard::hw::mpi

#include "hw/mpi/native.hpp"

#include <fmt/format.h>

#include <limits>

#include "collectives/schedule/holdings.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/mpi/datatypes.hpp"

namespace railyard::hw::mpi {
namespace {

using collectives::Collective;
using collectives::Kind;

/// A page: send and receive buffers share no page.
constexpr std::uint64_t kPage = 4096;

bool is_root(const Collective& collective, std::uint32_t rank) { return collective.root == rank; }

/// The buffers, with the offset of the receive buffer: after the send buffer, or at the same
/// position.
struct Buffers {
  BlockPlan plan;
  std::uint64_t receive_at = 0;
};

/// The `index`-th block that a rank sends or receives is at `index` blocks from the start of the
/// buffer. In place, the own block of an all_gather is at its position in the receive buffer.
Buffers buffers_of(const LiveTask& task, std::uint32_t ranks, std::uint32_t rank) {
  const Collective& collective = task.collective;
  Buffers buffers;
  buffers.plan = {.collective = collective,
                  .ranks = ranks,
                  .blocks = collectives::block_count(collective.kind, ranks),
                  .block_bytes = static_cast<std::uint64_t>(
                      collectives::block_bytes(collective, ranks).count()),
                  .before = {},
                  .after = {},
                  .arena_bytes = 0};
  const std::uint64_t size = buffers.plan.block_bytes;
  const auto before = collectives::blocks_before(collective, ranks, rank);
  const auto after = collectives::blocks_after(collective, ranks, rank);
  const bool gathers = collective.kind == Kind::all_gather;
  // MPI_Bcast has one buffer.
  const bool in_place = task.in_place || collective.kind == Kind::broadcast;
  const std::uint64_t sent = std::max<std::uint64_t>(before.size(), 1) * size;
  const std::uint64_t received = std::max<std::uint64_t>(after.size(), 1) * size;
  buffers.receive_at = in_place ? 0 : (sent + kPage - 1) / kPage * kPage;
  buffers.plan.arena_bytes = std::max(sent, buffers.receive_at + received);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::uint64_t place = gathers && in_place ? before[i] : i;
    buffers.plan.before.push_back({rank, before[i], place * size});
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    buffers.plan.after.push_back({rank, after[i], buffers.receive_at + i * size});
  }
  return buffers;
}

class NativeRun final : public LiveRun {
 public:
  NativeRun(Communicator& communicator, MPI_Comm comm, const LiveTask& task, const World& world,
            CallWatchdog& watchdog)
      : NativeRun(communicator, comm, task, world, watchdog,
                  buffers_of(task, world.processes(), world.process())) {}

  void reset() override { memory_.reset(); }
  void restore() override { memory_.restore(); }

  std::vector<Span> run(int times) override {
    const CallWatchdog::Guard guard(
        watchdog_, fmt::format("{}: {} of {} bytes", communicator_.caller.text(), name(),
                               task_.collective.bytes.count()));
    const Time begin = world_.now();
    for (int i = 0; i < times; ++i) {
      require(call(), communicator_.caller, std::string(name()));
      finish();
    }
    return {{.rank = world_.process(), .begin = begin, .end = world_.now()}};
  }

  CheckResult check() override { return memory_.check(); }

 private:
  NativeRun(Communicator& communicator, MPI_Comm comm, const LiveTask& task, const World& world,
            CallWatchdog& watchdog, Buffers buffers)
      : communicator_(communicator),
        comm_(comm),
        task_(task),
        world_(world),
        watchdog_(watchdog),
        operator_(task.collective.type, task.collective.op),
        type_(datatype(task.collective.type)),
        count_(static_cast<int>(buffers.plan.block_bytes /
                                static_cast<std::uint64_t>(size_of(task.collective.type).count()))),
        receive_at_(buffers.receive_at),
        memory_(std::move(buffers.plan), task.seed) {}

  [[nodiscard]] std::string_view name() const {
    switch (task_.collective.kind) {
      case Kind::all_reduce: return "MPI_Allreduce";
      case Kind::all_gather: return "MPI_Allgather";
      case Kind::reduce_scatter: return "MPI_Reduce_scatter_block";
      case Kind::broadcast: return "MPI_Bcast";
      case Kind::reduce: return "MPI_Reduce";
      case Kind::all_to_all: return "MPI_Alltoall";
      case Kind::send_recv: return task_.in_place ? "MPI_Sendrecv_replace" : "MPI_Sendrecv";
    }
    return "MPI";
  }

  int call() {
    const Collective& collective = task_.collective;
    std::byte* to = memory_.data() + receive_at_;
    const void* from = task_.in_place ? MPI_IN_PLACE : memory_.data();
    const int root = static_cast<int>(collective.root);
    switch (collective.kind) {
      case Kind::all_reduce: return MPI_Allreduce(from, to, count_, type_, operator_.get(), comm_);
      case Kind::all_gather: return MPI_Allgather(from, count_, type_, to, count_, type_, comm_);
      case Kind::reduce_scatter:
        return MPI_Reduce_scatter_block(from, to, count_, type_, operator_.get(), comm_);
      case Kind::broadcast: return MPI_Bcast(to, count_, type_, root, comm_);
      case Kind::reduce: {
        // MPI_IN_PLACE is for the root alone.
        const bool roots = is_root(collective, world_.process());
        return MPI_Reduce(roots ? from : memory_.data(), roots ? to : nullptr, count_, type_,
                          operator_.get(), root, comm_);
      }
      case Kind::all_to_all: return MPI_Alltoall(from, count_, type_, to, count_, type_, comm_);
      case Kind::send_recv: return send_around(to);
    }
    return MPI_ERR_OTHER;
  }

  /// MPI has no average: each rank divides its part of the sum.
  void finish() {
    const BlockPlan& plan = memory_.plan();
    if (!is_averaged(plan.collective)) return;
    average(memory_.data(), plan.after, plan.block_bytes, plan.collective.type, plan.ranks);
  }

  int send_around(std::byte* to) {
    const int ranks = communicator_.ranks;
    const int next = (communicator_.caller.rank + 1) % ranks;
    const int last = (communicator_.caller.rank + ranks - 1) % ranks;
    if (task_.in_place) {
      return MPI_Sendrecv_replace(to, count_, type_, next, 0, last, 0, comm_, MPI_STATUS_IGNORE);
    }
    return MPI_Sendrecv(memory_.data(), count_, type_, next, 0, to, count_, type_, last, 0, comm_,
                        MPI_STATUS_IGNORE);
  }

  Communicator& communicator_;
  MPI_Comm comm_;
  LiveTask task_;
  const World& world_;
  CallWatchdog& watchdog_;
  Operator operator_;
  MPI_Datatype type_;
  int count_;
  std::uint64_t receive_at_;
  BlockMemory memory_;
};

}  // namespace

std::unique_ptr<LiveRun> native_run(Communicator& communicator, MPI_Comm comm, const LiveTask& task,
                                    const World& world, CallWatchdog& watchdog) {
  return std::make_unique<NativeRun>(communicator, comm, task, world, watchdog);
}

std::string why_not_native(const Collective& collective) {
  const std::int64_t elements = collective.bytes.count() / size_of(collective.type).count();
  if (elements <= std::numeric_limits<int>::max()) return {};
  return fmt::format("MPI counts elements in an int: at most {} of them, not {}",
                     std::numeric_limits<int>::max(), elements);
}

}  // namespace railyard::hw::mpi

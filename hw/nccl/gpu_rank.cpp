#include "hw/nccl/gpu_rank.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"
#include "hw/local/averaging.hpp"
#include "hw/nccl/device_identity.hpp"

namespace railyard::hw::nccl {
namespace {

BlockPlan plan_of_rank(const LiveTask& task, const RankProgram& program) {
  const collectives::Schedule& schedule = *task.schedule;
  return {.collective = task.collective,
          .ranks = schedule.group().size(),
          .blocks = schedule.blocks(),
          .block_bytes = static_cast<std::uint64_t>(schedule.block_bytes().count()),
          .before = program.before,
          .after = program.after,
          .arena_bytes = program.arena_bytes};
}

}  // namespace

GpuRank::GpuRank(const GpuLibraries& libraries, GpuPlace place, const GpuOptions& options)
    : calls_(libraries, fmt::format("host {}, rank {}", place.host, place.rank)),
      place_(std::move(place)),
      options_(options) {}

GpuRank::~GpuRank() = default;

void GpuRank::open() {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  int count = 0;
  calls_.cuda("cudaGetDeviceCount", cuda.get_device_count, &count);
  if (place_.device >= count) {
    calls_.failed("cudaSetDevice", fmt::format("GPU {} is wanted, and there {} {}", place_.device,
                                               count == 1 ? "is" : "are", count));
  }
  calls_.cuda("cudaSetDevice", cuda.set_device, place_.device);
  calls_.cuda("cudaStreamCreate", cuda.stream_create, &stream_, kStreamNonBlocking);
  calls_.cuda("cudaEventCreate", cuda.event_create, &begin_);
  calls_.cuda("cudaEventCreate", cuda.event_create, &end_);
  const DeviceIdentity identity = identify_device(calls_, place_.device);
  compute_capability_ = identity.compute_capability;
  device_text_ = fmt::format("sm_{} {}", compute_capability_, identity.address);
}

void GpuRank::connect(const UniqueId& id) {
  Comm comm = nullptr;
  calls_.nccl("ncclCommInitRank", calls_.libraries().nccl().comm_init_rank, &comm,
              static_cast<int>(place_.ranks), id, static_cast<int>(place_.rank));
  comm_ = comm;
}

void GpuRank::close() {
  forget();
  const CudaFunctions& cuda = calls_.libraries().cuda();
  if (Comm comm = comm_.exchange(nullptr); comm != nullptr)
    calls_.nccl("ncclCommDestroy", calls_.libraries().nccl().comm_destroy, comm);
  for (Event event : {begin_, end_}) {
    if (event != nullptr) (void)cuda.event_destroy(event);
  }
  if (stream_ != nullptr) (void)cuda.stream_destroy(stream_);
  begin_ = end_ = nullptr;
  stream_ = nullptr;
}

void GpuRank::abort() {
  if (Comm comm = comm_.exchange(nullptr); comm != nullptr)
    (void)calls_.libraries().nccl().comm_abort(comm);
}

void GpuRank::forget() {
  if (graph_ != nullptr) (void)calls_.libraries().cuda().graph_exec_destroy(graph_);
  graph_ = nullptr;
  kernel_.reset();
  memory_.reset();
  native_.reset();
  program_ = {};
}

void GpuRank::prepare(const LiveTask& task) {
  forget();
  GpuMemoryOptions memory{
      .comm = comm(), .stream = stream_, .registered = options_.registered, .seed = task.seed};
  BlockPlan plan;
  if (task.schedule == nullptr) {
    native_ = native_collective(task.collective, place_.ranks, place_.rank, task.in_place);
    plan = native_->plan;
    memory.tolerance = native_->tolerance;
  } else {
    program_ = compile_rank(*task.schedule, place_.rank);
    memory.separate_inputs = !task.in_place;
    plan = plan_of_rank(task, program_);
    if (program_.reduces() || (is_averaged(task.collective) && !program_.after.empty())) {
      kernel_ = std::make_unique<ReductionKernel>(calls_, compute_capability_, task.collective.type,
                                                  task.collective.op);
    }
  }
  memory_ = std::make_unique<GpuMemory>(calls_, std::move(plan), memory);
  if (options_.graph) capture();
}

Comm GpuRank::comm() const {
  Comm comm = comm_.load();
  if (comm == nullptr) {
    calls_.failed("communicator", "given up, because another rank of this process failed");
  }
  return comm;
}

void GpuRank::enqueue() {
  if (native_) {
    enqueue_native(calls_, *native_, {comm(), stream_, memory_->data(), place_.ranks, place_.rank});
    return;
  }
  memory_->bring();
  for (const Round& round : program_.rounds) enqueue_round(round);
  const BlockPlan& plan = memory_->plan();
  if (!is_averaged(plan.collective)) return;
  for (const BlockPlace& place : plan.after)
    kernel_->launch_average(memory_->data() + place.offset, plan.block_bytes, plan.ranks, stream_);
}

void GpuRank::enqueue_round(const Round& round) {
  const NcclFunctions& nccl = calls_.libraries().nccl();
  std::byte* arena = memory_->data();
  Comm comm = this->comm();
  calls_.nccl("ncclGroupStart", nccl.group_start);
  for (const Exchange& message : program_.messages_of(round)) {
    const auto peer = static_cast<int>(message.peer);
    if (message.sends) {
      calls_.nccl("ncclSend", nccl.send, arena + message.offset, std::size_t{message.bytes},
                  int{kNcclInt8}, peer, comm, stream_);
    } else {
      calls_.nccl("ncclRecv", nccl.recv, arena + message.offset, std::size_t{message.bytes},
                  int{kNcclInt8}, peer, comm, stream_);
    }
  }
  calls_.nccl("ncclGroupEnd", nccl.group_end);
  for (const Move& move : program_.moves_of(round)) {
    if (move.reduces) {
      kernel_->launch(arena + move.to, arena + move.from, move.bytes, stream_);
    } else {
      calls_.cuda("cudaMemcpyAsync", calls_.libraries().cuda().memcpy_async, arena + move.to,
                  arena + move.from, std::size_t{move.bytes}, kCopyDefault, stream_);
    }
  }
}

void GpuRank::capture() {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  enqueue();  // connections are made here, and not while capturing
  wait_for_stream(calls_, stream_, comm());
  calls_.cuda("cudaStreamBeginCapture", cuda.begin_capture, stream_, kCaptureThreadLocal);
  enqueue();
  Graph graph = nullptr;
  calls_.cuda("cudaStreamEndCapture", cuda.end_capture, stream_, &graph);
  calls_.cuda("cudaGraphInstantiate", cuda.graph_instantiate, &graph_, graph, 0ULL);
  (void)cuda.graph_destroy(graph);
}

void GpuRank::launch() {
  if (graph_ == nullptr) {
    enqueue();
    return;
  }
  calls_.cuda("cudaGraphLaunch", calls_.libraries().cuda().graph_launch, graph_, stream_);
}

Span GpuRank::run(int times, const World& world) {
  const CudaFunctions& cuda = calls_.libraries().cuda();
  Span span{.rank = place_.rank, .begin = world.now(), .end = {}};
  if (options_.events) calls_.cuda("cudaEventRecord", cuda.event_record, begin_, stream_);
  for (int i = 0; i < times; ++i) launch();
  if (options_.events) calls_.cuda("cudaEventRecord", cuda.event_record, end_, stream_);
  wait_for_stream(calls_, stream_, comm());
  span.end = world.now();
  if (options_.events) {
    float milliseconds = 0;
    calls_.cuda("cudaEventElapsedTime", cuda.event_elapsed_time, &milliseconds, begin_, end_);
    span.end =
        span.begin + Time::picoseconds(static_cast<std::int64_t>(double{milliseconds} * 1e9));
  }
  return span;
}

}  // namespace railyard::hw::nccl

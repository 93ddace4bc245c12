// NCCL's calls that Railyard makes, over Unix sockets between threads or processes of one machine.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/hw/fake_nccl/faults.hpp"
#include "tests/hw/fake_nccl/kernels.hpp"
#include "tests/hw/fake_nccl/mesh.hpp"
#include "tests/hw/fake_nccl/stream.hpp"

namespace {

constexpr int kInvalidUsage = 5;
constexpr int kRemoteError = 6;

struct Id {
  char bytes[128];
};

struct Comm {
  int rank = 0, ranks = 1;
  std::unique_ptr<fake::Mesh> mesh;
  std::atomic<int> error{0};
};

/// A send, receive or collective on its way to a stream.
struct Call {
  Comm* comm;
  fake::Stream* stream;
  std::function<void(fake::Mesh&)> sends;     ///< buffered, so these come first
  std::function<bool(fake::Mesh&)> receives;  ///< false: a peer is gone
};

thread_local int depth = 0;
thread_local std::vector<Call> group;

std::size_t size_of(int type) {
  constexpr std::size_t kSizes[]{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kSizes[type];
}

constexpr int kAverage = 4;     ///< ncclAvg
constexpr int kFirstFloat = 6;  ///< ncclFloat16

std::string type_name(int type) {
  static const char* const types[]{"int8",    "uint8",    "int32",       "uint32",
                                   "int64",   "uint64",   "float16",     "float32",
                                   "float64", "bfloat16", "float8_e4m3", "float8_e5m2"};
  return types[type];
}
std::string kernel_name(int type, int op) {
  static const char* const ops[]{"sum", "prod", "max", "min", "avg"};
  return std::string(ops[op]) + "_" + type_name(type);
}

void run_group(Comm& comm, const std::vector<Call>& calls) {
  if (fake::due("stall", "stream", comm.rank)) {
    while (!comm.mesh->is_aborted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return;
  }
  for (const Call& call : calls) call.sends(*comm.mesh);
  for (const Call& call : calls) {
    if (call.receives(*comm.mesh)) continue;
    comm.error = kRemoteError;
    // As NCCL's kernels: it waits until the communicator is aborted.
    while (!comm.mesh->is_aborted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return;
  }
}

int submit() {
  std::vector<Call> calls = std::move(group);
  group.clear();
  while (!calls.empty()) {
    Comm* comm = calls.front().comm;
    fake::Stream* stream = calls.front().stream;
    std::vector<Call> mine;
    std::vector<Call> others;
    for (Call& call : calls)
      (call.comm == comm && call.stream == stream ? mine : others).push_back(call);
    stream->add([comm, mine] { run_group(*comm, mine); });
    calls = std::move(others);
  }
  return 0;
}

int add(const char* name, void* comm, void* stream, std::function<void(fake::Mesh&)> sends,
        std::function<bool(fake::Mesh&)> receives) {
  Comm& at = *static_cast<Comm*>(comm);
  if (const auto result = fake::fault(name, at.rank)) return *result;
  group.push_back({&at, static_cast<fake::Stream*>(stream), std::move(sends), std::move(receives)});
  return depth == 0 ? submit() : 0;
}

/// What a rank says of its choice, where NCCL_DEBUG asks for it.
void log_choice(const Comm& comm, const char* collective, std::size_t bytes) {
  const std::string path = fake::setting("NCCL_DEBUG_FILE", "");
  if (comm.rank != 0 || path.empty() || fake::setting("NCCL_DEBUG", "") != "INFO") return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (file == nullptr) return;
  if (fake::number("FAKE_NCCL_VERSION", 23007) >= 23000) {
    std::fprintf(
        file,
        "fake:1:1 [0] NCCL INFO %s: %zu Bytes -> Algo RING proto %s channel{Lo..Hi}={0..%d}\n",
        collective, bytes, bytes < 65536 ? "LL" : "SIMPLE", bytes < 65536 ? 0 : 3);
  } else {
    std::fprintf(file, "fake:1:1 [0] NCCL INFO %zu Bytes -> Algo 1 proto %d time 12.5\n", bytes,
                 bytes < 65536 ? 0 : 2);
  }
  std::fclose(file);
}

std::byte* bytes_of(void* memory) { return static_cast<std::byte*>(memory); }
const std::byte* bytes_of(const void* memory) { return static_cast<const std::byte*>(memory); }

/// Reduces what every rank sends of a block, in the order of ranks. Averages are as NCCL makes
/// them: floats are scaled before they are summed, integers divided afterwards.
bool reduce_from_all(Comm& comm, fake::Mesh& mesh, void* receive, std::size_t count, int type,
                     int op) {
  const std::size_t bytes = count * size_of(type);
  std::vector<std::byte> sum(bytes);
  std::vector<std::byte> other(bytes);
  const fake::HostKernel kernel = fake::host_kernel(kernel_name(type, op));
  for (int peer = 0; peer < comm.ranks; ++peer) {
    std::byte* into = peer == 0 ? sum.data() : other.data();
    if (!mesh.receive(peer, into, bytes)) return false;
    if (op == kAverage)
      fake::scale_before_sum(reinterpret_cast<char*>(into), count, type, comm.ranks);
    if (peer > 0)
      kernel(reinterpret_cast<char*>(sum.data()), reinterpret_cast<const char*>(other.data()),
             count);
  }
  if (op == kAverage && type < kFirstFloat)
    fake::host_average("average_" + type_name(type))(
        reinterpret_cast<char*>(sum.data()), static_cast<unsigned long long>(comm.ranks), count);
  std::memcpy(receive, sum.data(), bytes);
  return true;
}

/// What NCCL writes of a node: here a socket with GPUs that have 18 NVLinks to a switch each, and a
/// NIC of 400 Gb/s.
void write_topology(const std::string& path, int gpus) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  std::fputs(
      "<system version=\"1\">\n"
      "  <cpu host_hash=\"0x5eed\" numaid=\"0\" affinity=\"ffff\" arch=\"x86_64\" "
      "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">\n",
      file);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    std::fprintf(file,
                 "    <pci busid=\"0000:%02x:00.0\" class=\"0x030200\" vendor=\"0x10de\" "
                 "device=\"0x2330\" subsystem_vendor=\"0x10de\" subsystem_device=\"0x16c1\" "
                 "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n"
                 "      <gpu dev=\"%d\" sm=\"90\" rank=\"%d\" gdr=\"1\">\n"
                 "        <nvlink target=\"0000:f0:00.0\" count=\"18\" tclass=\"0x068000\"/>\n"
                 "      </gpu>\n    </pci>\n",
                 0x1b + gpu, gpu, gpu);
  }
  std::fputs(
      "    <pci busid=\"0000:9c:00.0\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x1021\" "
      "subsystem_vendor=\"0x15b3\" subsystem_device=\"0x0041\" link_speed=\"32.0 GT/s PCIe\" "
      "link_width=\"16\">\n      <nic>\n"
      "        <net name=\"mlx5_0\" dev=\"0\" speed=\"400000\" port=\"1\" latency=\"0.000000\" "
      "guid=\"0x1\" maxconn=\"131072\" gdr=\"1\"/>\n      </nic>\n    </pci>\n"
      "  </cpu>\n</system>\n",
      file);
  std::fclose(file);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int ncclGetVersion(int* version) {
  *version = fake::number("FAKE_NCCL_VERSION", 23007);
  return 0;
}
const char* ncclGetErrorString(int result) {
  static const char* const texts[]{
      "no error",
      "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
      "unhandled system error (run with NCCL_DEBUG=INFO for details)",
      "internal error - please report this issue to the NCCL developers",
      "invalid argument (run with NCCL_DEBUG=WARN for details)",
      "invalid usage (run with NCCL_DEBUG=WARN for details)",
      "remote process exited or there was a network error",
      "NCCL operation in progress"};
  return result >= 0 && result < 8 ? texts[result] : "unknown result code";
}
const char* ncclGetLastError(void*) { return ""; }
int ncclGetUniqueId(Id* id) {
  if (const auto result = fake::fault("ncclGetUniqueId", 0)) return *result;
  static std::atomic<int> number{0};
  std::memset(id->bytes, 0, sizeof id->bytes);
  std::snprintf(id->bytes, sizeof id->bytes, "%d-%d", getpid(), number++);
  return 0;
}
int ncclCommInitRank(void** comm, int ranks, Id id, int rank) {
  if (const auto result = fake::fault("ncclCommInitRank", rank)) return *result;
  if (ranks > fake::number("FAKE_GPUS", 4) &&
      fake::setting("NCCL_MULTI_RANK_GPU_ENABLE", "0") != "1" &&
      fake::setting("WORLD_SIZE", "1") == "1")
    return kInvalidUsage;  // "Duplicate GPU detected"
  auto made = std::make_unique<Comm>();
  made->rank = rank;
  made->ranks = ranks;
  made->mesh = std::make_unique<fake::Mesh>(id.bytes, rank, ranks);
  *comm = made.release();
  return 0;
}
int ncclCommInitAll(void** comms, int count, const int*) {
  if (const auto result = fake::fault("ncclCommInitAll", 0)) return *result;
  for (int rank = 0; rank < count; ++rank) {
    auto made = std::make_unique<Comm>();
    made->rank = rank;
    made->ranks = count;
    comms[rank] = made.release();
  }
  if (const std::string path = fake::setting("NCCL_TOPO_DUMP_FILE", ""); !path.empty())
    write_topology(path, count);
  return 0;
}
int ncclCommDestroy(void* comm) {
  delete static_cast<Comm*>(comm);
  return 0;
}
int ncclCommAbort(void* comm) {
  if (Comm& at = *static_cast<Comm*>(comm); at.mesh) at.mesh->abort();
  return 0;
}
int ncclCommGetAsyncError(void* comm, int* error) {
  *error = static_cast<Comm*>(comm)->error;
  return 0;
}
int ncclGroupStart() {
  ++depth;
  return 0;
}
int ncclGroupEnd() {
  if (--depth > 0) return 0;
  if (!group.empty()) {
    if (const auto result = fake::fault("ncclGroupEnd", group.front().comm->rank)) return *result;
  }
  return submit();
}

int ncclSend(const void* from, std::size_t count, int type, int peer, void* comm, void* stream) {
  const std::size_t bytes = count * size_of(type);
  return add(
      "ncclSend", comm, stream, [=](fake::Mesh& mesh) { mesh.send(peer, from, bytes); },
      [](fake::Mesh&) { return true; });
}
int ncclRecv(void* into, std::size_t count, int type, int peer, void* comm, void* stream) {
  const std::size_t bytes = count * size_of(type);
  const int rank = static_cast<Comm*>(comm)->rank;
  return add(
      "ncclRecv", comm, stream, [](fake::Mesh&) {},
      [=](fake::Mesh& mesh) {
        if (!mesh.receive(peer, into, bytes)) return false;
        if (bytes > 0 && fake::due("corrupt", "recv", rank)) *bytes_of(into) ^= std::byte{1};
        return true;
      });
}
int ncclAllReduce(const void* send, void* receive, std::size_t count, int type, int op, void* comm,
                  void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  log_choice(at, "AllReduce", bytes);
  return add(
      "ncclAllReduce", comm, stream,
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer) mesh.send(peer, send, bytes);
      },
      [=, &at](fake::Mesh& mesh) { return reduce_from_all(at, mesh, receive, count, type, op); });
}
int ncclAllGather(const void* send, void* receive, std::size_t count, int type, void* comm,
                  void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  log_choice(at, "AllGather", bytes * static_cast<std::size_t>(at.ranks));
  return add(
      "ncclAllGather", comm, stream,
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer) mesh.send(peer, send, bytes);
      },
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer) {
          if (!mesh.receive(peer, bytes_of(receive) + static_cast<std::size_t>(peer) * bytes,
                            bytes))
            return false;
        }
        return true;
      });
}
int ncclReduceScatter(const void* send, void* receive, std::size_t count, int type, int op,
                      void* comm, void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  log_choice(at, "ReduceScatter", bytes * static_cast<std::size_t>(at.ranks));
  return add(
      "ncclReduceScatter", comm, stream,
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer)
          mesh.send(peer, bytes_of(send) + static_cast<std::size_t>(peer) * bytes, bytes);
      },
      [=, &at](fake::Mesh& mesh) { return reduce_from_all(at, mesh, receive, count, type, op); });
}
int ncclBroadcast(const void* send, void* receive, std::size_t count, int type, int root,
                  void* comm, void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  log_choice(at, "Broadcast", bytes);
  return add(
      "ncclBroadcast", comm, stream,
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks && at.rank == root; ++peer) mesh.send(peer, send, bytes);
      },
      [=](fake::Mesh& mesh) { return mesh.receive(root, receive, bytes); });
}
int ncclReduce(const void* send, void* receive, std::size_t count, int type, int op, int root,
               void* comm, void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  log_choice(at, "Reduce", bytes);
  return add(
      "ncclReduce", comm, stream, [=](fake::Mesh& mesh) { mesh.send(root, send, bytes); },
      [=, &at](fake::Mesh& mesh) {
        return at.rank != root || reduce_from_all(at, mesh, receive, count, type, op);
      });
}
int ncclAlltoAll(const void* send, void* receive, std::size_t count, int type, void* comm,
                 void* stream) {
  Comm& at = *static_cast<Comm*>(comm);
  const std::size_t bytes = count * size_of(type);
  return add(
      "ncclAlltoAll", comm, stream,
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer)
          mesh.send(peer, bytes_of(send) + static_cast<std::size_t>(peer) * bytes, bytes);
      },
      [=, &at](fake::Mesh& mesh) {
        for (int peer = 0; peer < at.ranks; ++peer) {
          if (!mesh.receive(peer, bytes_of(receive) + static_cast<std::size_t>(peer) * bytes,
                            bytes))
            return false;
        }
        return true;
      });
}
int ncclCommRegister(void* comm, void*, std::size_t, void** handle) {
  if (const auto result = fake::fault("ncclCommRegister", static_cast<Comm*>(comm)->rank))
    return *result;
  *handle = new int(0);
  return 0;
}
int ncclCommDeregister(void*, void* handle) {
  delete static_cast<int*>(handle);
  return 0;
}
int ncclMemAlloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory == nullptr ? 1 : 0;
}
int ncclMemFree(void* memory) {
  std::free(memory);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

#include "hw/nccl/topology_dump.hpp"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

#include "core/diagnostic.hpp"
#include "hw/nccl/gpu_libraries.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::nccl {
namespace {

constexpr const char* kVariable = "NCCL_TOPO_DUMP_FILE";

/// An empty file for NCCL's dump, deleted at the end of its lifetime.
class DumpFile {
 public:
  DumpFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = fmt::format("{}/railyard-topology-XXXXXX", folder == nullptr ? "/tmp" : folder);
    const int file = mkstemp(path_.data());
    if (file < 0) throw BackendError(fmt::format("{}: cannot be made, for NCCL to write", path_));
    close(file);
    setenv(kVariable, path_.c_str(), 1);
  }
  ~DumpFile() {
    unsetenv(kVariable);
    unlink(path_.c_str());
  }
  DumpFile(const DumpFile&) = delete;
  DumpFile& operator=(const DumpFile&) = delete;

  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

/// ncclCommInitAll on a detachable thread, because it may hang.
struct Attempt {
  explicit Attempt(const std::string& folder) : libraries(folder) {}
  GpuLibraries libraries;
  std::vector<Comm> comms;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  int result = kNcclSuccess;

  void run() {
    const int made =
        libraries.nccl().comm_init_all(comms.data(), static_cast<int>(comms.size()), nullptr);
    const std::lock_guard lock(mutex);
    result = made;
    ended = true;
    changed.notify_all();
  }
  [[nodiscard]] bool wait(Time timeout) {
    std::unique_lock lock(mutex);
    const auto is_over = [this] { return ended; };
    if (timeout == Time()) {
      changed.wait(lock, is_over);
      return true;
    }
    return changed.wait_for(lock, std::chrono::nanoseconds(timeout.picoseconds() / 1000), is_over);
  }
};

}  // namespace

std::string dump_topology(const std::string& libraries, Time timeout) {
  const std::string host = own_place().host;
  const auto failed = [&](std::string_view call, std::string_view reason) {
    throw BackendError(fmt::format("host {}: {}: {}", host, call, reason));
  };
  const auto attempt = std::make_shared<Attempt>(libraries);
  const NcclFunctions& nccl = attempt->libraries.nccl();
  if (nccl.comm_init_all == nullptr) failed("ncclCommInitAll", "this NCCL has none");
  const int devices = attempt->libraries.device_count();
  if (devices == 0) failed("cudaGetDeviceCount", "there is no GPU for NCCL to describe");
  attempt->comms.resize(static_cast<std::size_t>(devices));
  const DumpFile file;
  std::thread([attempt] { attempt->run(); }).detach();
  if (!attempt->wait(timeout))
    failed("ncclCommInitAll", fmt::format("did not end within {}", core::to_text(timeout)));
  if (attempt->result != kNcclSuccess) {
    failed("ncclCommInitAll", fmt::format("{} ({}); NCCL_DEBUG=WARN says more",
                                          nccl.get_error_string(attempt->result), attempt->result));
  }
  std::string text = file.text();
  for (Comm comm : attempt->comms) (void)nccl.comm_destroy(comm);
  if (text.empty()) failed("ncclCommInitAll", "NCCL wrote no topology (NCCL_TOPO_DUMP_FILE)");
  return text;
}

}  // namespace railyard::hw::nccl

#include "hw/mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <exception>
#include <thread>

#include "core/diagnostic.hpp"
#include "core/version.hpp"

namespace railyard::hw::mpi {
namespace {

/// The number of started ranks, from the environment variables of Open MPI, PMI (MPICH, Slurm) or
/// Slurm; 0: unknown.
int launched_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* text = std::getenv(name); text != nullptr) return std::atoi(text);
  }
  return 0;
}

/// The build properties that must be equal on all processes.
std::string build_text() {
  const core::Build build = core::build();
  return fmt::format("railyard {} ({}), {}-bit, {}-endian", build.version, build.commit,
                     sizeof(void*) * 8,
                     std::endian::native == std::endian::little ? "little" : "big");
}

}  // namespace

Communicator::Communicator(Time timeout) {
  waiting.timeout = timeout;
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  caller.host = own_place().host;
  if (is_initialised != 0) throw BackendError("MPI is initialised once per process");
  int provided = 0;
  require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), caller,
          "MPI_Init_thread");
  comm = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  require(MPI_Comm_rank(comm, &caller.rank), caller, "MPI_Comm_rank");
  require(MPI_Comm_size(comm, &ranks), caller, "MPI_Comm_size");
  if (const int launched = launched_ranks(); launched > 1 && ranks == 1) {
    throw BackendError(fmt::format(
        "{}: the launcher started {} ranks, but MPI sees 1: each would run alone; start with the "
        "mpirun (or srun --mpi type) of the MPI that railyard-cluster was built with: {}",
        caller.text(), launched, library()));
  }
  exchange_places();
}

Communicator::~Communicator() {
  // During an exception peers may have ended, and MPI_Finalize would wait for them.
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

std::string Communicator::library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

void Communicator::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(comm, &request), caller, "MPI_Ibarrier");
  wait(request, waiting, caller, "MPI_Ibarrier");
}

std::vector<std::string> Communicator::gather(std::string_view mine) {
  const bool is_root = caller.rank == 0;
  const auto own = static_cast<int>(mine.size());
  std::vector<int> lengths(is_root ? static_cast<std::size_t>(ranks) : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Igather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm, &request), caller,
          "MPI_Igather");
  wait(request, waiting, caller, "MPI_Igather");
  std::vector<int> places(lengths.size());
  std::size_t total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    places[i] = static_cast<int>(total);
    total += static_cast<std::size_t>(lengths[i]);
  }
  std::string all(total, '\0');
  require(MPI_Igatherv(mine.data(), own, MPI_CHAR, all.data(), lengths.data(), places.data(),
                       MPI_CHAR, 0, comm, &request),
          caller, "MPI_Igatherv");
  wait(request, waiting, caller, "MPI_Igatherv");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

std::string Communicator::broadcast(std::string_view mine) {
  auto length = static_cast<std::int64_t>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibcast(&length, 1, MPI_INT64_T, 0, comm, &request), caller, "MPI_Ibcast");
  wait(request, waiting, caller, "MPI_Ibcast");
  std::string text(mine);
  text.resize(static_cast<std::size_t>(length));
  require(MPI_Ibcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm, &request), caller,
          "MPI_Ibcast");
  wait(request, waiting, caller, "MPI_Ibcast");
  return text;
}

void Communicator::exchange_places() {
  const ProcessPlace own = own_place();
  const std::string mine =
      fmt::format("{}\n{}\n{}\n{}\n", own.host, own.pid, own.machine, build_text());
  const std::vector<std::string> all = gather(mine);
  std::string joined;
  for (const std::string& text : all) joined += text;
  joined = broadcast(joined);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < joined.size();) {
    const std::size_t end = joined.find('\n', at);
    lines.push_back(joined.substr(at, end - at));
    at = end + 1;
  }
  std::uint32_t on_this_machine = 0;
  for (std::size_t i = 0; i + 3 < lines.size(); i += 4) {
    caller.places.push_back({lines[i], std::stoll(lines[i + 1]), lines[i + 2]});
    if (lines[i + 2] == own.machine) ++on_this_machine;
    if (lines[i + 3] == lines[3]) continue;
    throw BackendError(fmt::format("{} runs {}, and {} runs {}; install one build on all hosts",
                                   caller.text(static_cast<int>(i / 4)), lines[i + 3],
                                   caller.text(0), lines[3]));
  }
  waiting.shares = on_this_machine > std::max(1U, std::thread::hardware_concurrency());
}

void Communicator::send(const void* data, int bytes, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Isend(data, bytes, MPI_BYTE, to, kControlTag, comm, &request), caller, "MPI_Isend");
  wait(request, waiting, caller, fmt::format("MPI_Isend to {}", caller.text(to)));
}

void Communicator::receive(void* data, int bytes, int from) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Irecv(data, bytes, MPI_BYTE, from, kControlTag, comm, &request), caller, "MPI_Irecv");
  wait(request, waiting, caller, fmt::format("MPI_Irecv from {}", caller.text(from)));
}

}  // namespace railyard::hw::mpi

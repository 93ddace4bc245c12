#include <array>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <unistd.h>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/cli/shell_words.hpp"
#include "core/diagnostic.hpp"
#include "hw/local/local_backend.hpp"
#ifdef RAILYARD_HAS_MPI
#include "hw/mpi/mpi_backend.hpp"
#include "hw/mpi/mpi_world.hpp"
#endif
#include "hw/nccl/device/device_tests.hpp"
#include "hw/nccl/nccl_backend.hpp"
#include "hw/nccl/topology_dump.hpp"
#include "hw/world/launcher.hpp"
#include "hw/world/tcp_world.hpp"

namespace {

using railyard::hw::BackendEntry;
using railyard::hw::World;

/// The processes that a launcher started: by RANK, WORLD_SIZE and MASTER_ADDR, or by MPI; without a
/// launcher, only this process.
std::unique_ptr<World> launched_world(railyard::Time timeout) {
  if (const auto place = railyard::hw::tcp_place_of_environment())
    return std::make_unique<railyard::hw::TcpWorld>(*place, timeout);
  const auto launched = railyard::hw::launched();
  if (!launched || launched->ranks == 1)
    return std::make_unique<railyard::hw::SingleProcessWorld>();
#ifdef RAILYARD_HAS_MPI
  return railyard::hw::mpi::open_world(timeout);
#else
  throw railyard::BackendError(
      "a launcher started several ranks, and this build has no MPI; set RANK, WORLD_SIZE and "
      "MASTER_ADDR, or build with MPI");
#endif
}

std::unique_ptr<railyard::hw::LiveBackend> open_nccl(const railyard::hw::LiveOptions& options) {
  return std::make_unique<railyard::hw::nccl::NcclBackend>(launched_world(options.timeout),
                                                           options);
}

/// Every backend that this program was built with; the first is the default.
constexpr std::array kBackends{
#ifdef RAILYARD_HAS_MPI
    BackendEntry{"mpi", railyard::hw::mpi::open},
#endif
    BackendEntry{"nccl", open_nccl, &railyard::hw::nccl::kGpuTools},
    BackendEntry{"local", railyard::hw::open_local},
};

/// A stream buffer that discards its input.
class Discard final : public std::streambuf {
  int_type overflow(int_type character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

}  // namespace

/// The program railyard-cluster: railyard with the backends that need libraries. Each rank of a
/// live run is one process of it.
int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const auto launched = railyard::hw::launched();
  const bool is_follower = launched && launched->rank != 0;
  Discard discard;
  std::ostream nowhere(&discard);
  const bool terminal = !is_follower && isatty(STDERR_FILENO) != 0;
  // https://no-color.org: any value that is not empty disables colour.
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  railyard::apps::Context context{
      .out = is_follower ? nowhere : std::cout,
      .err = std::cerr,
      .err_is_terminal = terminal,
      .colour = colour,
      .command = "railyard-cluster" + railyard::apps::shell_words(arguments),
      .arguments = arguments,
      .backends = kBackends,
      .open_world = launched_world,
      .nccl_topology = railyard::hw::nccl::dump_topology,
      .is_follower = is_follower,
      .abandon = [](int code) { std::_Exit(code); }};
  return railyard::apps::run_command_line(arguments, context);
}

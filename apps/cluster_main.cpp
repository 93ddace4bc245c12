#include <array>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <string>
#include <unistd.h>
#include <vector>

#include "apps/command_line.hpp"
#include "apps/launcher.hpp"
#include "apps/shell_words.hpp"
#include "hw/local_backend.hpp"
#ifdef RAILYARD_HAS_MPI
#include "hw/mpi/mpi_backend.hpp"
#endif

namespace {

using railyard::hw::LiveEntry;

/// Every backend that this program was built with; the first is the default.
constexpr std::array kBackends{
#ifdef RAILYARD_HAS_MPI
    LiveEntry{"mpi", railyard::hw::mpi::open},
#endif
    LiveEntry{"local", railyard::hw::open_local},
};

/// Takes everything and keeps nothing.
class Discard final : public std::streambuf {
  int_type overflow(int_type character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

}  // namespace

/// railyard with the backends that need libraries: every rank of a live run is one of it.
int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const auto launched = railyard::apps::launched();
  const bool is_follower = launched && launched->rank != 0;
  Discard discard;
  std::ostream nowhere(&discard);
  const bool terminal = !is_follower && isatty(STDERR_FILENO) != 0;
  // https://no-color.org: any value that is not empty.
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
      .is_follower = is_follower,
      .abandon = [](int code) { std::_Exit(code); }};
  return railyard::apps::run_command_line(arguments, context);
}

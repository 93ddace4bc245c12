#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {
struct LiveEntry;
class World;
}  // namespace railyard::hw

namespace railyard::apps {

/// Where a command writes and what it may assume of it.
struct Context {
  std::ostream& out;                     ///< data alone
  std::ostream& err;                     ///< everything else
  bool err_is_terminal = false;          ///< progress bars
  bool colour = false;                   ///< err is a terminal and NO_COLOR is not set
  std::string command;                   ///< the command line, for provenance
  std::vector<std::string> arguments{};  ///< the same as it was given, without the program
  /// Live backends that this program was built with; the first is the default.
  std::span<const hw::LiveEntry> backends{};
  /// The processes that a launcher started, or this alone; null: the program cannot join others.
  std::unique_ptr<hw::World> (*open_world)(Time timeout) = nullptr;
  /// The node as NCCL describes it (hw/nccl/topology_dump.hpp); null: the program has no NCCL.
  std::string (*nccl_topology)(const std::string& libraries, Time timeout) = nullptr;
  /// Not the first of several processes: wrong input, which all have, is left to that one to print.
  bool is_follower = false;
  /// Ends this process at once, on any thread: a library call of a live run hangs. Main's to set.
  void (*abandon)(int code) = nullptr;
};

/// Exit codes of the whole program (DESIGN section 6).
enum ExitCode : int { done = 0, finding = 1, wrong_input = 2, backend_missing = 3, internal = 70 };

/// "error: " and the like at the beginning of a line on err, coloured where that is wanted.
void print_error(const Context& context, const std::string& line);
/// "note: ...".
void print_note(const Context& context, const std::string& line);

}  // namespace railyard::apps

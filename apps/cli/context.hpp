#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {
struct BackendEntry;
class World;
}  // namespace railyard::hw

namespace railyard::apps {

struct ResultDocument;

/// Output streams, command line and live backends of a command.
struct Context {
  std::ostream& out;                     ///< results only
  std::ostream& err;                     ///< everything else
  bool err_is_terminal = false;          ///< progress bars
  bool colour = false;                   ///< err is a terminal and NO_COLOR is not set
  std::string command;                   ///< the command line, for provenance
  std::vector<std::string> arguments{};  ///< the words of the command line, without the program
  /// Live backends that this program was built with; the first is the default.
  std::span<const hw::BackendEntry> backends{};
  /// Connects the processes that a launcher started; null: not supported by this program.
  std::unique_ptr<hw::World> (*open_world)(Time timeout) = nullptr;
  /// The topology of the node from NCCL (hw/nccl/topology_dump.hpp); null: built without NCCL.
  std::string (*nccl_topology)(const std::string& libraries, Time timeout) = nullptr;
  /// True on all processes but the first. Only the first prints input errors.
  bool is_follower = false;
  /// Ends this process immediately, from any thread, if a library call hangs. Set by main().
  void (*abandon)(int code) = nullptr;
  /// Receives the results of a command that runs within another one (railyard sweep). Empty:
  /// write_result() writes files and tables.
  std::function<void(const ResultDocument&)> take_result{};
};

/// Exit codes of the whole program (DESIGN section 6).
enum ExitCode : int {
  done = 0,
  finding = 1,
  wrong_input = 2,
  backend_missing = 3,
  internal = 70,
  interrupted = 130  ///< ctrl-C, as in shells: 128 + SIGINT
};

/// Prints "error: " and the line on err, in colour if `colour` is set.
void print_error(const Context& context, const std::string& line);
/// Prints "note: " and the line on err.
void print_note(const Context& context, const std::string& line);

}  // namespace railyard::apps

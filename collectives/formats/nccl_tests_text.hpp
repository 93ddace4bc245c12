#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "collectives/formats/nccl_tests_types.hpp"
#include "collectives/schedule/measurement.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// The values of the lines above the table of nccl-tests.
struct NcclTestsHead {
  std::string command;  ///< railyard command, printed as a comment
  Collective collective;
  std::vector<NcclTestsDevice> devices;  ///< by rank
  std::uint32_t processes = 1;
  Bytes least{}, most{};
  int factor = 2;
  int warmup = 1, iterations = 20;
  bool is_checked = true;  ///< results are compared
  bool graph = false;
};

/// The nccl-tests program for a collective: "all_reduce_perf", "alltoall_perf", "sendrecv_perf".
[[nodiscard]] std::string nccl_tests_program(Kind kind);

/// Prints measured rows as nccl-tests (2.13 to 2.19, common.cu) does, for scripts that read it:
/// comment lines, a line per size with time, algbw, busbw and #wrong out of place and in place,
/// "Out of bounds values" and "Avg bus bandwidth" (the mean of all busbw). If a size has only one
/// of the two, the columns of the other are "N/A". Times are means (time_us). Each line is flushed,
/// as in nccl-tests.
class NcclTestsText {
 public:
  /// Prints the lines above the table.
  NcclTestsText(NcclTestsHead head, std::ostream& out);
  /// Prints the line of a size: its one or two rows.
  void add(std::span<const Measurement> rows);
  /// Prints the lines below the table.
  void end();

 private:
  NcclTestsHead head_;
  std::ostream& out_;
  double busbw_ = 0;
  int rows_ = 0, failed_ = 0;
};

}  // namespace railyard::collectives

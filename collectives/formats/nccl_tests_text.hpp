#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/measurement.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// A rank as nccl-tests lists it.
struct NcclTestsDevice {
  std::string host;
  std::int64_t pid = 0;
  std::string place;  ///< "0000:1b:00.0"; "cpu" where the rank is on no GPU
  std::string name;
};

/// The lines that nccl-tests prints above its table.
struct NcclTestsHead {
  std::string command;  ///< of railyard, which a comment line keeps
  Collective collective;
  std::vector<NcclTestsDevice> devices;  ///< by rank
  std::uint32_t processes = 1;
  Bytes least{}, most{};
  int factor = 2;
  int warmup = 1, iterations = 20;
  bool is_checked = true;  ///< results are compared
  bool graph = false;
};

/// "all_reduce_perf", "alltoall_perf", "sendrecv_perf": nccl-tests' program for a collective.
[[nodiscard]] std::string nccl_tests_program(Kind kind);

/// Prints measured rows as nccl-tests (2.13 to 2.19, common.cu) does, for scripts that read it:
/// comment lines, a line per size with time, algbw, busbw and #wrong out of place and in place,
/// "Out of bounds values" and "Avg bus bandwidth" (the mean of all busbw). Where a size has a row
/// for one place alone, the other's columns are "N/A". A rows' time is its mean (time_us). Each
/// line is flushed, as nccl-tests does: a reader sees it while the next size runs.
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

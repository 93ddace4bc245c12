#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/measurement.hpp"
#include "hw/live_backend.hpp"
#include "hw/live_measure.hpp"

namespace railyard::apps {

/// The lines that nccl-tests prints above its table.
struct NcclTestsHead {
  struct Device {
    std::string host;
    std::int64_t pid = 0;
    std::string place;  ///< "0000:1b:00.0"; "cpu" where the rank is on no GPU
    std::string name;
  };
  std::string command;  ///< of railyard, which a comment line keeps
  collectives::Collective collective;
  std::vector<Device> devices;  ///< by rank
  std::uint32_t processes = 1;
  Bytes least{}, most{};
  int factor = 2;
  hw::Repetition repetition{};
  bool graph = false;
};

/// The devices of a backend's ranks.
[[nodiscard]] std::vector<NcclTestsHead::Device> nccl_tests_devices(hw::LiveBackend& backend);

/// "all_reduce_perf", "alltoall_perf", "sendrecv_perf": nccl-tests' program for a collective.
[[nodiscard]] std::string nccl_tests_program(collectives::Kind kind);

/// Prints rows of bench as nccl-tests (2.13 to 2.19, common.cu) does, for scripts that read it:
/// comment lines, a line per size with time, algbw, busbw and #wrong out of place and in place,
/// "Out of bounds values" and "Avg bus bandwidth" (the mean of all busbw). Where a size has a row
/// for one place alone, the other's columns are "N/A". A rows' time is its mean (time_us). Each
/// line is flushed, as nccl-tests does: a reader sees it while the next size runs.
class NcclTestsText {
 public:
  /// Prints the lines above the table.
  NcclTestsText(NcclTestsHead head, std::ostream& out);
  /// Prints the line of a size: its one or two rows.
  void add(std::span<const collectives::Measurement> rows);
  /// Prints the lines below the table.
  void end();

 private:
  NcclTestsHead head_;
  std::ostream& out_;
  double busbw_ = 0;
  int rows_ = 0, failed_ = 0;
};

}  // namespace railyard::apps

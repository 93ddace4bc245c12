// More bytes take more time, but for the sizes at which NCCL adds channels to a send
// (docs/models/nccl_time.md, send_recv).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "apps/sim/sim_run.hpp"

namespace railyard::apps {
namespace {

TEST(SendRecvSizes, TheTimeFallsOnlyWhereChannelsAreAdded) {
  // 1 KiB to 16 MiB, six sizes for each factor of 2.
  std::vector<Bytes> sizes;
  for (int i = 0; i <= 84; ++i) sizes.emplace_back(4 * std::llround(256 * std::exp2(i / 6.0)));
  int falls = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(RAILYARD_SOURCE_DIR "/configs/clusters")) {
    // The last GPU of a node and the first of the next are on different rails.
    if (file.path().stem() == "rail_only_h100") continue;
    SimFlags flags;
    flags.cluster.cluster = file.path().string();
    flags.cluster.nodes = 2;
    flags.collective.collective = "send_recv";
    flags.fidelity = "analytic";
    Provenance provenance;
    const auto rows = simulate(flags, sizes, provenance);
    ASSERT_EQ(rows.size(), sizes.size());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].time >= rows[i - 1].time) continue;
      ++falls;
      EXPECT_GT(rows[i].channels, rows[i - 1].channels)
          << file.path() << " at " << rows[i].bytes.count();
      EXPECT_GT(rows[i].time.seconds(), 0.88 * rows[i - 1].time.seconds())
          << file.path() << " at " << rows[i].bytes.count();
    }
  }
  EXPECT_GT(falls, 10);
}

}  // namespace
}  // namespace railyard::apps

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "collectives/formats/read_measured.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"
#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {
namespace {

/// A sweep over powers of two: how a measured time grows from size to size, and where NCCL's choice
/// changes by our model.
struct Sweep {
  std::vector<double> growth;         ///< log2 of time over that of the size before
  std::vector<std::size_t> switches;  ///< last sizes before another way
  std::vector<std::int64_t> bytes;
};

std::vector<Sweep> sweeps(const Predictions& predictions) {
  using Key = std::tuple<std::size_t, Kind, DataType, int>;
  std::map<Key, std::vector<const PredictedRow*>> rows;
  for (const PredictedRow& row : predictions.rows) {
    const auto& collective = row.measured.collective;
    if (is_tuned(collective.kind))
      rows[{row.table, collective.kind, collective.type, row.measured.ranks}].push_back(&row);
  }
  std::vector<Sweep> found;
  for (auto& [key, of] : rows) {
    std::ranges::sort(of, {},
                      [](const PredictedRow* row) { return row->measured.collective.bytes; });
    Sweep sweep;
    bool doubles = of.size() >= 12;
    for (std::size_t i = 0; i < of.size(); ++i) {
      sweep.bytes.push_back(of[i]->measured.collective.bytes.count());
      if (i == 0) continue;
      doubles = doubles && sweep.bytes[i] == 2 * sweep.bytes[i - 1];
      sweep.growth.push_back(std::log2(of[i]->measured.time_us / of[i - 1]->measured.time_us));
      const auto &now = of[i]->query, &before = of[i - 1]->query;
      if (now.algorithm != before.algorithm || now.protocol != before.protocol)
        sweep.switches.push_back(i - 1);
    }
    if (doubles) found.push_back(std::move(sweep));
  }
  return found;
}

/// Sizes between a measured switch and the nearest predicted one, in powers of two. One way's time
/// is latency + bytes over bandwidth, whose growth only rises; where it falls by 0.3 from 0.5 or
/// more, from 64 KiB on, another way has taken over.
std::vector<double> distances(const std::vector<Sweep>& all) {
  std::vector<double> found;
  for (const Sweep& sweep : all) {
    for (std::size_t i = 1; i < sweep.growth.size(); ++i) {
      const bool falls = sweep.growth[i - 1] >= 0.5 && sweep.growth[i] < sweep.growth[i - 1] - 0.3;
      if (!falls || sweep.bytes[i] < 65536) continue;
      double least = std::numeric_limits<double>::infinity();
      for (const std::size_t at : sweep.switches)
        least = std::min(least, std::abs(static_cast<double>(at) - static_cast<double>(i)));
      found.push_back(least);
    }
  }
  return found;
}

TEST(Switches, AreWithinAPowerOfTwoOfWhereMeasuredTablesShowThem) {
  const auto tables =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs/validation/measured/collectives.jsonc";
  const Predictions predictions =
      predict_tables(read_measured(tables.string()), {.map = read_system_map("public")});
  const std::vector<double> found = distances(sweeps(predictions));
  ASSERT_GT(found.size(), 100u);
  const auto near = std::ranges::count_if(found, [](double d) { return d <= 1; });
  // results/validation.md lists those that are not: changes of transport, not of NCCL's choice.
  EXPECT_GE(static_cast<double>(near), 0.93 * static_cast<double>(found.size()))
      << near << " of " << found.size();
}

TEST(Switches, EightH200TakeRingLlUpToOneMebibyteAndNvlsFromTwo) {
  // NCCL 2.27.7 (stas00/ml-engineering, network/README.md; nccl-tests #309).
  const auto cluster = topology::build_cluster(topology::read_cluster("hgx_h200_ndr400", 1));
  const auto group = Group::first(cluster, 8);
  const TuningModel model = make_tuning_model(make_communicator(cluster, group), Version::v2_28);
  for (std::int64_t bytes = 1 << 10; bytes <= 1 << 30; bytes *= 2) {
    const auto choice = choose(model, {.bytes = bytes});
    ASSERT_TRUE(choice);
    const bool small = bytes <= 1 << 20;
    EXPECT_EQ(choice->algorithm, small ? TuningAlgorithm::ring : TuningAlgorithm::nvls) << bytes;
    EXPECT_EQ(choice->protocol, small ? Protocol::ll : Protocol::simple) << bytes;
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl

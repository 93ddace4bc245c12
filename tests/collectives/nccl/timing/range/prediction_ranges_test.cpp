#include "collectives/nccl/timing/range/prediction_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::collectives::nccl {
namespace {

/// A sweep of one row that was measured `deviation` above its prediction.
Residual sweep(std::size_t number, double deviation, Evidence evidence = Evidence::measured,
               bool several_nodes = false, std::int64_t bytes = 1 << 20) {
  return {.query = {.of = RangeOf::collective,
                    .evidence = evidence,
                    .several_nodes = several_nodes,
                    .bytes = Bytes(bytes),
                    .generation = "hopper"},
          .table = "table " + std::to_string(number),
          .sweep = number,
          .ratio = 1 + deviation};
}

// Ten sweeps of 1, 2, ... 10 %: 0.8 (10 + 1/3) + 1/3 is 8.6, which the ninth reaches: 9 %. Without
// the tenth: 0.8 (9 + 1/3) + 1/3 is 7.8, the eighth: 8 %.
TEST(PredictionRanges, FourFifthsOfTheSweepsAreInsideTheRange) {
  std::vector<Residual> residuals;
  for (std::size_t i = 1; i <= 10; ++i)
    residuals.push_back(sweep(i, (i % 2 == 0 ? 0.01 : -0.01) * static_cast<double>(i)));
  const RangeQuery query = residuals.front().query;
  EXPECT_NEAR(*range_pct(range_classes(residuals), query), 9, 1e-9);
  EXPECT_NEAR(*range_pct(range_classes(residuals, "table 10"), query), 8, 1e-9);
}

// Two sweeps: one of 98 rows of 1 %, one of 2 rows of 30 %. Each has the weight of one, so half of
// the weight is at 30 %.
TEST(PredictionRanges, ALongSweepCountsNoMoreThanAShortOne) {
  std::vector<Residual> residuals(98, sweep(1, 0.01));
  residuals.push_back(sweep(2, 0.3));
  residuals.push_back(sweep(2, 0.3));
  EXPECT_NEAR(*range_pct(range_classes(residuals), residuals.front().query), 30, 1e-9);
}

// Five sweeps of several nodes at 20 to 24 % are a class of their own: 0.8 (5 + 1/3) + 1/3 is
// 4.6, the fifth: 24 %. Four sweeps of one node at 1 % are none; they fall back to all of their
// evidence, nine sweeps: 7.8, the eighth smallest: 23 %.
TEST(PredictionRanges, ClassesOfFewSweepsFallBackToWiderOnes) {
  std::vector<Residual> residuals;
  for (std::size_t i = 0; i < 5; ++i)
    residuals.push_back(sweep(i, 0.2 + 0.01 * static_cast<double>(i), Evidence::measured, true));
  for (std::size_t i = 5; i < 9; ++i) residuals.push_back(sweep(i, 0.01));
  const auto classes = range_classes(residuals);
  EXPECT_NEAR(*range_pct(classes, residuals.front().query), 24, 1e-9);
  EXPECT_NEAR(*range_pct(classes, residuals.back().query), 23, 1e-9);
  RangeQuery step = residuals.front().query;
  step.of = RangeOf::step;
  EXPECT_FALSE(range_pct(classes, step).has_value());
}

// A relative machine of one sweep at 2 % is not surer than measured ones at 10 %.
TEST(PredictionRanges, WorseEvidenceNeverHasTheSmallerRange) {
  std::vector<Residual> residuals;
  for (std::size_t i = 0; i < 5; ++i) residuals.push_back(sweep(i, 0.1));
  residuals.push_back(sweep(5, 0.02, Evidence::relative));
  EXPECT_NEAR(*range_pct(range_classes(residuals), residuals.back().query), 10, 1e-9);
}

// Of 40 rows 16 stay: one in each sixteenth.
TEST(PredictionRanges, LongSweepsAreThinnedEvenly) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < 40; ++i)
    if (is_kept(i, 40)) kept.push_back(i);
  ASSERT_EQ(kept.size(), 16U);
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_EQ(kept[k] * 16 / 40, k) << kept[k];
  EXPECT_TRUE(is_kept(15, 16));
}

TEST(PredictionRanges, FilesKeepWhatTheyAreWrittenFrom) {
  PredictionRanges ranges{.name = "a name", .source = "a command", .measured = {}, .classes = {}};
  ranges.measured = {{RangeOf::collective, PartKind::fabric, "roce, 8 x 400 Gb/s", "roce", {"t"}}};
  ranges.classes = range_classes(std::vector<Residual>{sweep(1, 0.5, Evidence::nominal)});
  ASSERT_FALSE(ranges.classes.empty());
  EXPECT_THAT(write_prediction_ranges(ranges), ::testing::HasSubstr("\"range_pct\": 50"));
}

TEST(MachineParts, EvidenceIsMeasuredRelativeOrNominal) {
  const std::vector<MeasuredPart> measured{
      {RangeOf::collective, PartKind::gpu, "H100-SXM5-80GB", "hopper", {"a", "b"}}};
  const auto of = [&](const char* name, const char* family, const char* without = "") {
    return to_text(
        evidence_for({PartKind::gpu, name, family}, measured, RangeOf::collective, without));
  };
  EXPECT_EQ(of("H100-SXM5-80GB", "hopper"), "gpu H100-SXM5-80GB: measured (2 tables)");
  EXPECT_EQ(of("H100-SXM5-80GB", "hopper", "a"), "gpu H100-SXM5-80GB: measured (1 table)");
  EXPECT_EQ(of("H20", "hopper"), "gpu H20: relative of H100-SXM5-80GB");
  EXPECT_EQ(of("T4", "volta"), "gpu T4: nominal");
  // Steps are no evidence for collectives.
  EXPECT_EQ(
      evidence_for({PartKind::gpu, "H100-SXM5-80GB", "hopper"}, measured, RangeOf::step).evidence,
      Evidence::nominal);
}

// Blackwell of data centres is 10.0 and 10.3. A GPU of 10.7 is timed as Blackwell, but no table ran
// on anything like it.
TEST(MachineParts, AGpuOfNoShippedGenerationIsNominal) {
  auto node = topology::read_cluster("dgx_b200_ndr400", 1).node_specs.front();
  node.gpu.name = "newer";
  const topology::Timings timings = topology::read_timings("dgx_b200_ndr400");
  const PredictionRanges ranges = read_prediction_ranges(std::string(kShippedRanges));
  const auto evidence = [&](int capability) {
    node.gpu.compute_capability = capability;
    std::vector<Evidence> found;
    for (const MachinePart& part : machine_parts(node, timings, {}))
      found.push_back(evidence_for(part, ranges.measured, RangeOf::collective).evidence);
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(evidence(103), ElementsAre(Evidence::relative, Evidence::measured));
  EXPECT_THAT(evidence(107), ElementsAre(Evidence::nominal, Evidence::nominal));
  EXPECT_EQ(topology::gpu_family(107, "blackwell"), "compute capability 10.7");
  EXPECT_EQ(topology::gpu_family(60, "volta"), "compute capability 6.0");
  EXPECT_EQ(topology::gpu_family(121, "blackwell_pcie"), "blackwell_pcie");
}

TEST(MachineParts, TheFabricCountsBetweenNodesAndThePcieHostWithoutNvlink) {
  const auto kinds = [](const char* cluster, const MachineUse& use) {
    const auto node = topology::read_cluster(cluster, 1).node_specs.front();
    std::vector<PartKind> found;
    for (const MachinePart& part : machine_parts(node, topology::read_timings(cluster), use))
      found.push_back(part.kind);
    return found;
  };
  using enum PartKind;
  using ::testing::ElementsAre;
  EXPECT_THAT(kinds("dgx_h100_ndr400", {.meets_over_nvlink = true, .several_nodes = false}),
              ElementsAre(gpu, nvlink));
  EXPECT_THAT(kinds("dgx_h100_ndr400", {.meets_over_nvlink = true, .several_nodes = true}),
              ElementsAre(gpu, nvlink, fabric));
  EXPECT_THAT(kinds("pcie8_gen4", {.meets_over_nvlink = false, .several_nodes = true}),
              ElementsAre(gpu, pcie_host, fabric));
}

TEST(PredictionRanges, SweepsOfAppendedResidualsAreNumberedBehindThoseThatAreThere) {
  std::vector<Residual> all{sweep(0, 0.01), sweep(3, 0.01)};
  append(std::vector{sweep(0, 0.02), sweep(1, 0.02)}, all);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[2].sweep, 4U);
  EXPECT_EQ(all[3].sweep, 5U);
}

}  // namespace
}  // namespace railyard::collectives::nccl

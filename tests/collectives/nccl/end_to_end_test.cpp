#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "core/config/text_file.hpp"
#include "tests/collectives/nccl_cases.hpp"
#include "topology/formats/nccl_xml.hpp"

// From a node's XML to NCCL's choice: the search and the tuning together.
namespace railyard::collectives::nccl {
namespace {

TEST(NcclEndToEnd, ChoicesOfSearchedNodesAreNccls) {
  const auto cases = nccl_cases();
  if (cases.empty()) GTEST_SKIP() << "no ../shared/truth/nccl_model beside this checkout";
  int compared = 0;
  for (const NcclCase& system : cases) {
    const topology::NodeSpec node =
        topology::import_nccl_xml(core::read_text_file(system.node_file), "node.xml");
    const TuningModel model = make_tuning_model(
        make_communicator(make_system(node), system.communicator.nodes), Version::v2_30);
    for (const NcclCase::Choice& choice : system.choices) {
      SCOPED_TRACE(fmt::format("{} {} {} B", system.name, to_text(choice.kind), choice.bytes));
      const auto ours = choose(model, {.kind = choice.kind, .bytes = choice.bytes});
      ASSERT_TRUE(ours);
      EXPECT_EQ(ours->algorithm, choice.algorithm);
      EXPECT_EQ(ours->protocol, choice.protocol);
      EXPECT_EQ(fmt::format("{:.2f}", ours->time_us), fmt::format("{:.2f}", choice.time_us));
      ++compared;
    }
  }
  EXPECT_GT(compared, 860);
}

}  // namespace
}  // namespace railyard::collectives::nccl

#include "core/diagnostic.hpp"

#include <gtest/gtest.h>

#include <array>

namespace railyard::core {
namespace {

TEST(Diagnostic, TextNamesPlaceMessageAndHint) {
  EXPECT_EQ(to_text(Diagnostic{"a.json", "/nodes", "must be positive", ""}),
            "a.json:/nodes: must be positive");
  EXPECT_EQ(to_text(Diagnostic{"", "--bytes", "is wrong", "try 8G"}), "--bytes: is wrong (try 8G)");
  EXPECT_EQ(to_text(Diagnostic{"a.json", "", "is empty", ""}), "a.json: is empty");
}

TEST(Diagnostics, ThrowAllThatWasFoundTogether) {
  Diagnostics problems("a.json");
  EXPECT_NO_THROW(problems.throw_if_any());
  problems.add("/a", "first");
  problems.add("/b", "second", "hint");
  try {
    problems.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2u);
    EXPECT_EQ(error.diagnostics()[1].pointer, "/b");
    EXPECT_STREQ(error.what(), "a.json:/a: first\na.json:/b: second (hint)");
  }
}

TEST(DidYouMean, NamesTheNearestWordWithinAThirdOfItsLetters) {
  constexpr std::array<std::string_view, 4> kWords{"nodes", "fabric", "bandwidth", "nic"};
  EXPECT_EQ(did_you_mean("node", kWords), "did you mean 'nodes'?");
  EXPECT_EQ(did_you_mean("badnwidth", kWords), "did you mean 'bandwidth'?");  // two letters swapped
  EXPECT_EQ(did_you_mean("Fabric", kWords), "did you mean 'fabric'?");
  EXPECT_EQ(did_you_mean("gpu", kWords), "");
  EXPECT_EQ(did_you_mean("", kWords), "");
}

TEST(DidYouMean, NamesThatContainTheWordComeNext) {
  constexpr std::array<std::string_view, 4> kWords{"dgx_h100_ndr400", "clos_rail_h100", "dgx_a100",
                                                   "a100_hdr"};
  EXPECT_EQ(did_you_mean("dgx-h100", kWords), "did you mean 'dgx_h100_ndr400'?");
  EXPECT_EQ(did_you_mean("H100", kWords), "did you mean 'dgx_h100_ndr400' or 'clos_rail_h100'?");
  EXPECT_EQ(did_you_mean("b200", kWords), "");
}

TEST(DidYouMean, NamesWithAPartLikeTheWordComeLast) {
  constexpr std::array<std::string_view, 5> kWords{"dgx_h100_ndr400", "dgx2_v100", "gpt3_175b",
                                                   "llama3_70b", "clos_rail_h100"};
  EXPECT_EQ(did_you_mean("dgx_h1000", kWords), "did you mean 'dgx_h100_ndr400'?");
  EXPECT_EQ(did_you_mean("rail-h200", kWords), "did you mean 'clos_rail_h100'?");
  EXPECT_EQ(did_you_mean("lama3", kWords), "did you mean 'llama3_70b'?");
  EXPECT_EQ(did_you_mean("dgx2_v10", kWords), "did you mean 'dgx2_v100'?");  // the whole name
  EXPECT_EQ(did_you_mean("h1000", kWords), "did you mean 'dgx_h100_ndr400' or 'clos_rail_h100'?");
  EXPECT_EQ(did_you_mean("b2000", kWords), "");
}

TEST(Diagnostic, OnlyTheFirstTwentyArePrintedAndTheRestCounted) {
  Diagnostics problems("topology.conf");
  for (int i = 0; i < 1000; ++i) problems.add("line " + std::to_string(i), "is wrong");
  try {
    problems.throw_if_any();
    FAIL();
  } catch (const InputError& error) {
    const std::vector<std::string> lines = printed_lines(error.diagnostics());
    ASSERT_EQ(lines.size(), 21u);
    EXPECT_EQ(lines[19], "topology.conf:line 19: is wrong");
    EXPECT_EQ(lines[20], "980 more problems");
    EXPECT_EQ(error.diagnostics().size(), 1000u);
  }
}

TEST(Diagnostic, AFileIsAddedWhereNoneIsNamed) {
  const InputError error("", "line 3", "is wrong");
  EXPECT_STREQ(error.in_file("queue.json").what(), "queue.json:line 3: is wrong");
  EXPECT_STREQ(error.in_file("a").in_file("b").what(), "a:line 3: is wrong");
  EXPECT_STREQ(InputError("", "--fix", "is wrong").in_file("a").what(), "--fix: is wrong");
}

}  // namespace
}  // namespace railyard::core

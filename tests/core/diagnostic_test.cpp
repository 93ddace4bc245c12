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

}  // namespace
}  // namespace railyard::core

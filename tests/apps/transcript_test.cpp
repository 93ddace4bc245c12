#include "tests/apps/transcript.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

// The harness that runs recorded commands: a failure must not pass as an example.
namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Harness : public ::testing::Test {
 protected:
  Harness() : folder_(fs::path(::testing::TempDir()) / "railyard_transcript") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "tmp");
  }
  ~Harness() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string tmp() const { return (folder_ / "tmp").string(); }
  [[nodiscard]] Transcript run(const std::string& command) const {
    return run_again({.comment = {}, .command = command, .out = {}, .err = {}}, tmp());
  }
  [[nodiscard]] Page page(const std::string& text) const { return run_page(text, "", tmp()); }

 private:
  fs::path folder_;
};

TEST_F(Harness, APipeHidesNoExitCode) {
  EXPECT_EQ(run("false | tail -1").exit_code, 1);
  EXPECT_EQ(run("railyard sim --cluster nosuch --bytes 1M 2>&1 | tail -4").exit_code, 2);
  EXPECT_EQ(run("true | tail -1").exit_code, 0);
}

TEST_F(Harness, AnErrorThatExitsWithZeroIsWrong) {
  EXPECT_EQ(wrong_end(run("echo fine"), 0), "");
  EXPECT_EQ(wrong_end(run("echo 'note: an error: in a note'"), 0), "");
  EXPECT_THAT(wrong_end(run("echo first; echo 'error: lost' >&2"), 0),
              HasSubstr("prints an error"));
  EXPECT_THAT(wrong_end(run("railyard sim --cluster nosuch --bytes 1M; true"), 0),
              HasSubstr("prints an error"));
  EXPECT_EQ(wrong_end(run("echo 'error: no' >&2; exit 2"), 2), "");
  EXPECT_THAT(wrong_end(run("exit 2"), 0), HasSubstr("exit code 2, expected 0"));
  EXPECT_THAT(wrong_end(run("true"), 2), HasSubstr("exit code 0, expected 2"));
}

TEST_F(Harness, APageShowsAnErrorOnlyWhereItSaysSo) {
  const std::string block = "```console\n$ railyard sim --cluster nosuch 2>&1 | tail -1\n```\n";
  EXPECT_THAT(page("Try:\n\n" + block).problems, SizeIs(1));
  EXPECT_THAT(
      page("A cluster that does not exist is wrong input (exit code 2):\n\n" + block).problems,
      IsEmpty());
  EXPECT_THAT(page("A finding (exit code 1):\n\n" + block).problems, SizeIs(1));
  // It is for one command, not for those after it.
  EXPECT_THAT(page("Wrong input (exit code 2):\n\n" + block + "\nAnd:\n\n" + block).problems,
              SizeIs(1));
}

TEST_F(Harness, APageIsWrittenAnewWithWhatItsCommandsPrint) {
  const Page fresh = page("Text\n```console\n$ echo one \\\n    two\nold\n```\nEnd\n");
  EXPECT_THAT(fresh.problems, IsEmpty());
  EXPECT_EQ(fresh.text, "Text\n```console\n$ echo one \\\n    two\none two\n```\nEnd\n");
}

TEST(Transcripts, KeepTheirExitCodesAndNewOnesHaveNone) {
  const auto read = read_transcripts("# Why.\n$ false\n--- exit 1\n\n$ true\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].exit_code, 1);
  EXPECT_EQ(read[1].exit_code, std::nullopt);
  EXPECT_EQ(write_transcripts(read), "# Why.\n$ false\n--- exit 1\n\n$ true\n--- exit 0\n");
}

}  // namespace
}  // namespace railyard::apps::testing

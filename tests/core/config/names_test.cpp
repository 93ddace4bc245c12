#include "core/config/names.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(Names, HostsAreLabelsOfLettersDigitsAndDashes) {
  for (const char* good : {"a", "node0", "10.0.0.5", "gpu-1.example.com", "rack_3-node7", "0"})
    EXPECT_EQ(host_name_problem(good), "") << good;
  const std::string long_label(64, 'a');
  for (const std::string& bad :
       {std::string(), std::string("$(id>X)"), std::string("[a"), std::string("*a"),
        std::string("#a"), std::string("a b"), std::string("a:8"), std::string("-a"),
        std::string("a-"), std::string("a..b"), std::string(".a"), std::string("a/b"),
        std::string("caf\xe9"), long_label})
    EXPECT_NE(host_name_problem(bad), "") << bad;
  std::string long_name = "a";
  while (long_name.size() <= 253) long_name += ".a";
  EXPECT_NE(host_name_problem(long_name), "");
}

TEST(Names, FilesStayInTheirFolder) {
  for (const char* good : {"a", "big job", "llama3_8b", "a.b"})
    EXPECT_EQ(file_name_problem(good), "") << good;
  for (const std::string& bad : {std::string(), std::string("."), std::string(".."),
                                 std::string("../../evil"), std::string("a/b"), std::string("/a"),
                                 std::string("-rf"), std::string("a\nb"), std::string(201, 'a')})
    EXPECT_NE(file_name_problem(bad), "") << bad;
  EXPECT_EQ(file_name_problem("a\nb/"), "'a?b/' is not the name of a file");
}

TEST(Names, WordsOfAShellAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_word("node0"), "node0");
  EXPECT_EQ(shell_word("$(id)"), "'$(id)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Names, YamlScalarsAreQuotedWhereTheyWouldBeSomethingElse) {
  for (const char* plain : {"node0", "a-b.c", "IMAGE", "nvcr.io/nvidia/pytorch"})
    EXPECT_EQ(yaml_scalar(plain), plain);
  EXPECT_EQ(yaml_scalar("no"), "\"no\"");
  EXPECT_EQ(yaml_scalar("NULL"), "\"NULL\"");
  EXPECT_EQ(yaml_scalar("10"), "\"10\"");
  EXPECT_EQ(yaml_scalar("[a"), "\"[a\"");
  EXPECT_EQ(yaml_scalar("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_scalar("a\n- b"), "\"a\\n- b\"");
}

}  // namespace
}  // namespace railyard::core

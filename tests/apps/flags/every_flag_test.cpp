#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/command_result.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;

/// A line of every_flag.txt.
struct FlagCase {
  std::string flag, arguments, expectation, base;
};
struct CommandCases {
  std::string command;
  std::vector<FlagCase> cases;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<CommandCases> read_cases() {
  std::vector<CommandCases> commands;
  std::ifstream file(RAILYARD_SOURCE_DIR "/tests/apps/flags/every_flag.txt");
  std::string base;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      const auto end = line.find(']');
      commands.push_back({line.substr(1, end - 1), {}});
      base = trimmed(line.substr(end + 1));
      continue;
    }
    std::vector<std::string> parts;
    std::istringstream text(line);
    for (std::string part; std::getline(text, part, '|');) parts.push_back(trimmed(part));
    parts.resize(std::max<std::size_t>(parts.size(), 3));
    commands.back().cases.push_back(
        {parts[0], parts[1], parts[2], parts.size() > 3 ? parts[3] : base});
  }
  return commands;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// A database with the rows of sweep.json, made once.
const std::string& swept_database() {
  static const std::string file = [] {
    const std::string made = (fs::path(::testing::TempDir()) / "every_flag.sqlite").string();
    fs::remove(made);
    const Ended ended = run_in_shell(RAILYARD_EXECUTABLE " sweep --file " RAILYARD_SOURCE_DIR
                                                         "/tests/apps/flags/sweep.json --db \"" +
                                     made + "\" 2>&1");
    EXPECT_EQ(ended.code, 0) << ended.text;
    return made;
  }();
  return file;
}

/// Runs commands of one kind, each in an empty folder.
class Runner {
 public:
  explicit Runner(std::string command)
      : command_(std::move(command)),
        folder_(fs::path(::testing::TempDir()) / ("railyard_flags_" + command_)) {}
  ~Runner() { fs::remove_all(folder_); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// What the command prints and writes, without the command line in it.
  Ended run(const std::string& arguments) const {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::string line = arguments;
    replace_all(line, "SRC", RAILYARD_SOURCE_DIR);
    replace_all(line, "FAKE", RAILYARD_FAKE_GPU);
    if (line.find("SWEPT") != std::string::npos) replace_all(line, "SWEPT", swept_database());
    replace_all(line, "TMP", "\"" + folder_.string() + "\"");
    Ended ended = run_in_shell("cd \"" RAILYARD_SOURCE_DIR "\" && " RAILYARD_EXECUTABLE " " +
                               command_ + " " + line + " 2>&1");
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      std::ostringstream text;
      text << "file " << file.filename() << "\n" << std::ifstream(file).rdbuf();
      ended.text += text.str();
    }
    ended.text = std::regex_replace(ended.text, std::regex(R"("command":"([^"\\]|\\.)*")"), "");
    return ended;
  }

 private:
  std::string command_;
  fs::path folder_;
};

bool ended_well(const Ended& ended) { return ended.code == 0 || ended.code == 1; }

/// Whether a line that begins with "error:" or is indented below one contains `text`.
bool has_error(const std::string& output, const std::string& text) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if ((line.starts_with("error:") || line.starts_with("  ")) &&
        line.find(text) != std::string::npos)
      return true;
  return false;
}

/// The names that --help lists below "Subcommands:"; none where the command has none.
std::set<std::string> subcommands(const std::string& command) {
  std::set<std::string> names;
  const Ended help = run_in_shell(RAILYARD_EXECUTABLE " " + command + " --help 2>&1");
  std::istringstream lines(help.text);
  bool in_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (in_list && !line.starts_with("  ")) break;
    if (in_list && line.find_first_not_of(' ') == 2)
      names.insert(line.substr(2, line.find(' ', 2) - 2));
    in_list = in_list || line == "Subcommands:";
  }
  return names;
}

// A new command must join the walk below. Those that only group others have no flags of their own.
TEST(EveryCommand, IsWalked) {
  std::set<std::string> walked, listed;
  for (const CommandCases& one : read_cases()) walked.insert(one.command);
  for (const std::string& name : subcommands("")) {
    const std::set<std::string> below = subcommands(name);
    for (const std::string& sub : below) listed.insert(name + " " + sub);
    if (below.empty() || name == "sweep") listed.insert(name);
  }
  EXPECT_EQ(listed, walked) << "add a section to tests/apps/flags/every_flag.txt";
}

class EveryFlag : public ::testing::TestWithParam<CommandCases> {};

// Each flag that --help lists has a line, and each line a flag.
TEST_P(EveryFlag, HasACase) {
  const Ended help = Runner(GetParam().command).run("--help");
  ASSERT_EQ(help.code, 0) << help.text;
  std::set<std::string> listed, tried;
  const std::regex flag(R"(^ +(-\w,)?(--[a-z-]+))");
  std::istringstream lines(help.text);
  // The examples behind the flags use those of other commands.
  for (std::string line; std::getline(lines, line) && !line.starts_with("Example");)
    if (std::smatch found; std::regex_search(line, found, flag)) listed.insert(found[2]);
  listed.erase("--help");
  for (const FlagCase& one : GetParam().cases) tried.insert(one.flag);
  EXPECT_EQ(listed, tried) << "add lines to tests/apps/flags/every_flag.txt";
}

// Each flag changes what some case prints or writes, or is refused with the reason.
TEST_P(EveryFlag, HasAnEffectOrIsRefused) {
  const Runner runner(GetParam().command);
  std::map<std::string, Ended> bases;
  const auto base_of = [&](const std::string& arguments) -> const Ended& {
    const auto [found, is_new] = bases.try_emplace(arguments);
    if (is_new) found->second = runner.run(arguments);
    return found->second;
  };
  for (const FlagCase& one : GetParam().cases) {
    SCOPED_TRACE(GetParam().command + " " + one.base + " " + one.arguments);
    const Ended with = runner.run(one.base + " " + one.arguments);
    const auto says = [&](const char* word) { return one.expectation.starts_with(word); };
    const auto text_after = [&](const char* word) {
      return trimmed(one.expectation.substr(std::string(word).size()));
    };
    if (says("refused")) {
      const std::string text = text_after("refused");
      EXPECT_EQ(with.code, 2) << with.text;
      EXPECT_TRUE(has_error(with.text, text.empty() ? one.flag : text)) << with.text;
    } else if (says("fails")) {
      EXPECT_TRUE(with.code == 1 || with.code == 3) << with.code << "\n" << with.text;
    } else if (says("prints")) {
      const std::string text = text_after("prints");
      EXPECT_TRUE(ended_well(with)) << with.text;
      EXPECT_NE(with.text.find(text), std::string::npos) << with.text;
      EXPECT_EQ(base_of(one.base).text.find(text), std::string::npos) << "without the flag too";
    } else {
      const Ended& without = base_of(one.base);
      EXPECT_TRUE(ended_well(with)) << with.text;
      EXPECT_TRUE(ended_well(without) || has_error(without.text, "required") ||
                  has_error(without.text, "is missing"))
          << without.text;
      EXPECT_NE(with.text, without.text);
    }
  }
}

const auto kName = [](const auto& info) {
  std::string name = info.param.command;
  std::ranges::replace(name, ' ', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Commands, EveryFlag, ::testing::ValuesIn(read_cases()), kName);

}  // namespace
}  // namespace railyard::apps::testing

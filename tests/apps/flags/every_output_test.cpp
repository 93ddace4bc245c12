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

constexpr const char* kCasesFile = RAILYARD_SOURCE_DIR "/tests/apps/flags/every_output.txt";

/// A line of every_output.txt.
struct OutputCase {
  std::string flag, arguments, base;
};
struct CommandOutputs {
  std::string command, base;
  std::set<std::string> inputs;  ///< flags that name a file to read
  std::vector<OutputCase> cases;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<CommandOutputs> read_outputs() {
  std::vector<CommandOutputs> commands;
  std::ifstream file(kCasesFile);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      const auto end = line.find(']');
      commands.push_back({line.substr(1, end - 1), trimmed(line.substr(end + 1)), {}, {}});
      continue;
    }
    std::vector<std::string> parts;
    std::istringstream text(line);
    for (std::string part; std::getline(text, part, '|');) parts.push_back(trimmed(part));
    parts.resize(std::max<std::size_t>(parts.size(), 2));
    CommandOutputs& command = commands.back();
    if (parts[1] == "reads")
      command.inputs.insert(parts[0]);
    else
      command.cases.push_back({parts[0], parts[1], parts.size() > 2 ? parts[2] : command.base});
  }
  return commands;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// A folder of this process, empty.
fs::path fresh_folder(const std::string& name) {
  fs::path folder = fs::path(::testing::TempDir()) / ("railyard_outputs_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

/// A database with the rows of sweep.json, made once.
const std::string& swept() {
  static const std::string file = [] {
    const std::string made = (fresh_folder("swept") / "swept.sqlite").string();
    const Ended ended = run_in_shell(RAILYARD_EXECUTABLE " sweep --file " RAILYARD_SOURCE_DIR
                                                         "/tests/apps/flags/sweep.json --db \"" +
                                     made + "\" 2>&1");
    EXPECT_EQ(ended.code, 0) << ended.text;
    return made;
  }();
  return file;
}

std::string filled(std::string arguments, const fs::path& out) {
  replace_all(arguments, "SRC", RAILYARD_SOURCE_DIR);
  replace_all(arguments, "FAKE", RAILYARD_FAKE_GPU);
  if (arguments.find("SWEPT") != std::string::npos) replace_all(arguments, "SWEPT", swept());
  replace_all(arguments, "OUT", out.string());
  return arguments;
}

Ended run_railyard(const std::string& limit, const std::string& command,
                   const std::string& arguments, const std::string& to) {
  return run_in_shell(limit + "cd \"" RAILYARD_SOURCE_DIR "\" && " RAILYARD_EXECUTABLE " " +
                      command + " " + arguments + " 2>&1 </dev/null " + to);
}

/// What is in the files of a folder, by name.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    if (fs::file_size(entry) > 0) text << std::ifstream(entry.path()).rdbuf();
    // SQLite opens a new database before it writes; an empty one holds no rows.
    if (entry.path().extension() == ".sqlite" && text.str().empty()) continue;
    found[fs::relative(entry.path(), folder).string()] = text.str();
  }
  return found;
}

/// The files below OUT that the arguments name, so that there is something to lose.
std::map<std::string, std::string> old_files(const std::string& arguments) {
  std::map<std::string, std::string> files;
  const std::regex name(R"(OUT/([a-z]+\.[a-z]+))");
  for (std::sregex_iterator at(arguments.begin(), arguments.end(), name), end; at != end; ++at)
    if (const std::string file = (*at)[1]; !file.ends_with(".sqlite"))
      files[file] = "written before\n";
  return files;
}

class EveryOutput : public ::testing::TestWithParam<CommandOutputs> {};

// A flag whose value is a file or a folder is an input or has a case.
TEST_P(EveryOutput, HasACase) {
  const Ended help = run_in_shell(RAILYARD_EXECUTABLE " " + GetParam().command + " --help 2>&1");
  ASSERT_EQ(help.code, 0) << help.text;
  std::set<std::string> listed, known = GetParam().inputs;
  const std::regex flag(R"(^ +(?:-\w,)?(--[a-z-]+) \S*\b(?:FILE|DIR|FOLDER|PREFIX)\b)");
  std::istringstream lines(help.text);
  for (std::string line; std::getline(lines, line) && !line.starts_with("Example");)
    if (std::smatch found; std::regex_search(line, found, flag)) listed.insert(found[1]);
  for (const OutputCase& one : GetParam().cases)
    if (one.flag.starts_with("--")) known.insert(one.flag);
  for (const std::string& one : listed)
    EXPECT_TRUE(known.contains(one)) << one << ": add a line to " << kCasesFile;
}

// No file may grow, as on a full disk: each output is an error that names its file, and what was
// there stays.
TEST_P(EveryOutput, OnAFullDiskIsAnErrorAndKeepsWhatWasThere) {
  for (const OutputCase& one : GetParam().cases) {
    SCOPED_TRACE(GetParam().command + " " + one.base + " " + one.arguments);
    const fs::path out = fresh_folder("full");
    const auto before = old_files(one.arguments);
    for (const auto& [name, text] : before) std::ofstream(out / name) << text;
    const std::string arguments = filled(one.base + " " + one.arguments, out);
    const Ended ended =
        run_railyard("trap '' XFSZ; ulimit -f 0; ", GetParam().command, arguments, "");
    EXPECT_EQ(ended.code, 2) << ended.text;
    const std::regex error("(^|\n)error: [^\n]*" + out.string() + "/[^\n]*(File too large|disk)");
    EXPECT_TRUE(std::regex_search(ended.text, error)) << ended.text;
    EXPECT_EQ(contents(out), before);
    fs::remove_all(out);
  }
}

// What goes to standard output is not lost in silence either.
TEST_P(EveryOutput, ToAFullStandardOutputIsAnError) {
  const fs::path out = fresh_folder("full_output");
  std::string base = GetParam().base;
  if (GetParam().command == "probe") return;  // it writes nothing there
  // These write nothing to standard output without a flag.
  if (GetParam().command == "calibrate") base += " -o OUT/x.json";
  if (GetParam().command == "report" || GetParam().command == "topo import") base += " -o -";
  if (GetParam().command == "sweep") base += " --list-points";
  if (GetParam().command == "sweep merge") base = "OUT/x.sqlite SWEPT";
  const Ended ended =
      run_railyard("exec 3>&1; ", GetParam().command, filled(base, out), "2>&3 >/dev/full");
  EXPECT_EQ(ended.code, 2) << ended.text;
  EXPECT_NE(ended.text.find("standard output"), std::string::npos) << ended.text;
  fs::remove_all(out);
}

// Commands that are new in every_flag.txt must join this walk.
TEST(EveryOutputCommand, AreThoseOfEveryFlag) {
  std::set<std::string> walked, listed;
  for (const CommandOutputs& one : read_outputs()) walked.insert(one.command);
  std::ifstream file(RAILYARD_SOURCE_DIR "/tests/apps/flags/every_flag.txt");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with('[')) listed.insert(line.substr(1, line.find(']') - 1));
  EXPECT_EQ(walked, listed) << "add a section to " << kCasesFile;
}

const auto kCommandName = [](const auto& info) {
  std::string name = info.param.command;
  std::ranges::replace(name, ' ', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Commands, EveryOutput, ::testing::ValuesIn(read_outputs()), kCommandName);

}  // namespace
}  // namespace railyard::apps::testing

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railyard::apps::testing {

/// A command and what came of it.
struct Transcript {
  std::string comment;  ///< lines before the command, with their '#'
  std::string command;  ///< for bash, after "$ "; further lines begin with "> "
  std::string out, err;
  std::optional<int> exit_code{};  ///< as recorded; nothing: not recorded yet
};

/// Reads and writes files of transcripts: comment lines, "$ command", "--- stdout", "--- stderr"
/// (left out where empty) and "--- exit N".
[[nodiscard]] std::vector<Transcript> read_transcripts(const std::string& text);
[[nodiscard]] std::string write_transcripts(const std::vector<Transcript>& transcripts);

/// Runs the command of a transcript with bash in the source tree, the built railyard first in PATH
/// and $TMP an empty folder shared by the commands of a file. A pipeline fails where any part of it
/// fails (pipefail), so that "| tail" hides no exit code. In what comes back the paths of the
/// source tree and of $TMP are "<source>" and "<tmp>", and the build is "<build>".
[[nodiscard]] Transcript run_again(const Transcript& transcript, const std::string& tmp);

/// What is wrong with a command's end: another exit code than `expected`, or a line "error:" where
/// 0 is expected; "" where nothing is. Updating a golden file does not make it right: who means a
/// command to fail writes its exit code down, as "--- exit N" below the command or "(exit code N)"
/// in the text of a page.
[[nodiscard]] std::string wrong_end(const Transcript& done, int expected);

/// A page of Markdown with what its examples print now: in ```console blocks, the lines after
/// "$ command" (which continues where a line ends with a backslash). `prefix` goes before each
/// command.
struct Page {
  std::string text;
  std::vector<std::string> problems;  ///< commands that ended other than the page says
};

/// Runs the examples of a page; a command is expected to end with 0, or with N where the prose
/// before its block says "(exit code N)", which is for the first command after it. What sets up a
/// machine (git clone, cd, script/, export PATH) is not run.
[[nodiscard]] Page run_page(const std::string& page, const std::string& prefix,
                            const std::string& tmp);

}  // namespace railyard::apps::testing

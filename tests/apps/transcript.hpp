#pragma once

#include <string>
#include <vector>

namespace railyard::apps::testing {

/// A command and what came of it.
struct Transcript {
  std::string comment;  ///< lines before the command, with their '#'
  std::string command;  ///< for sh, after "$ "; further lines begin with "> "
  std::string out, err;
  int exit_code = 0;
};

/// Reads and writes files of transcripts: comment lines, "$ command", "--- stdout", "--- stderr"
/// (left out where empty) and "--- exit N".
[[nodiscard]] std::vector<Transcript> read_transcripts(const std::string& text);
[[nodiscard]] std::string write_transcripts(const std::vector<Transcript>& transcripts);

/// Runs the command of a transcript with sh in the source tree, the built railyard first in PATH
/// and $TMP an empty folder shared by the commands of a file. In what comes back the paths of the
/// source tree and of $TMP are "<source>" and "<tmp>", and the build is "<build>".
[[nodiscard]] Transcript run_again(const Transcript& transcript, const std::string& tmp);

}  // namespace railyard::apps::testing

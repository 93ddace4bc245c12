#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace railyard::apps::testing {

/// How a command of the shell ended.
struct Ended {
  std::string text;  ///< standard output, and standard error where the command joins them
  int code = 0;      ///< exit code; -1: it did not exit by itself
};

/// Runs `command` in a shell and waits for its end.
inline Ended run_in_shell(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  Ended ended;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) ended.text += buffer.data();
  const int status = pclose(pipe);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

}  // namespace railyard::apps::testing

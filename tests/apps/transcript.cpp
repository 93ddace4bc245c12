#include "tests/apps/transcript.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <utility>

namespace railyard::apps::testing {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Without what differs from machine to machine and from build to build.
std::string portable(std::string text, const std::string& tmp) {
  replace_all(text, tmp, "<tmp>");
  replace_all(text, RAILYARD_SOURCE_DIR "/",
              "<source>/");  // "/", or a clone in /railyard matches file names
  static const std::regex build(
      R"((Debug|Release|RelWithDebInfo|MinSizeRel), \w+ [0-9.]+(, commit \w+\+?)?)");
  return std::regex_replace(text, build, "<build>");
}

std::string section(const char* name, const std::string& text) {
  if (text.empty()) return "";
  const bool has_end = text.ends_with('\n');
  return std::string("--- ") + name + (has_end ? "\n" : " without a newline at its end\n") + text +
         (has_end ? "" : "\n");
}

std::string quoted_lines(const std::string& command) {
  std::string text = "$ ";
  for (const char c : command) {
    text += c;
    if (c == '\n') text += "> ";
  }
  return text + '\n';
}

}  // namespace

std::vector<Transcript> read_transcripts(const std::string& text) {
  std::vector<Transcript> all;
  std::istringstream lines(text);
  std::string comment;
  std::string* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("--- exit ")) {
      all.back().exit_code = std::stoi(line.substr(9));
      section = nullptr;
    } else if (line.starts_with("--- ")) {
      if (all.empty()) throw std::runtime_error("a section before any command: " + line);
      section = line.starts_with("--- stdout") ? &all.back().out : &all.back().err;
    } else if (section != nullptr) {
      *section += line + '\n';
    } else if (line.starts_with("$ ")) {
      all.push_back(
          {.comment = std::exchange(comment, {}), .command = line.substr(2), .out = {}, .err = {}});
    } else if (line.starts_with("> ")) {
      all.back().command += '\n' + line.substr(2);
    } else if (!line.empty()) {
      comment += line + '\n';
    }
  }
  return all;
}

std::string write_transcripts(const std::vector<Transcript>& transcripts) {
  std::string text;
  for (const Transcript& one : transcripts) {
    if (!text.empty()) text += '\n';
    text += one.comment + quoted_lines(one.command) + section("stdout", one.out) +
            section("stderr", one.err) + "--- exit " + std::to_string(one.exit_code) + '\n';
  }
  return text;
}

Transcript run_again(const Transcript& transcript, const std::string& tmp) {
  const std::filesystem::path logs = std::filesystem::path(tmp).parent_path();
  const std::string out = (logs / "stdout").string();
  const std::string err = (logs / "stderr").string();
  const std::string bin = std::filesystem::path(RAILYARD_EXECUTABLE).parent_path().string();
  const std::string script = "cd '" RAILYARD_SOURCE_DIR "' && PATH='" + bin + "':$PATH TMP='" +
                             tmp + "' && export PATH TMP && {\n" + transcript.command + "\n} >'" +
                             out + "' 2>'" + err + "'";
  const int status = std::system(script.c_str());
  Transcript again = transcript;
  again.out = portable(content(out), tmp);
  again.err = portable(content(err), tmp);
  again.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return again;
}

}  // namespace railyard::apps::testing

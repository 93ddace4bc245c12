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

/// Whether a line begins with "error:", as all of railyard's errors do.
bool prints_error(const std::string& text) {
  return text.starts_with("error:") || text.find("\nerror:") != std::string::npos;
}

/// What sets up a machine is for script/demo and script/test to prove.
bool is_set_up(const std::string& command) {
  return command.starts_with("git clone") || command.starts_with("cd ") ||
         command.starts_with("script/") || command.starts_with("export PATH");
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
            section("stderr", one.err) + "--- exit " + std::to_string(one.exit_code.value_or(0)) +
            '\n';
  }
  return text;
}

Transcript run_again(const Transcript& transcript, const std::string& tmp) {
  const std::filesystem::path logs = std::filesystem::path(tmp).parent_path();
  const std::string out = (logs / "stdout").string();
  const std::string err = (logs / "stderr").string();
  const std::string bin = std::filesystem::path(RAILYARD_EXECUTABLE).parent_path().string();
  const std::string script = (logs / "script").string();
  std::ofstream(script) << "set -o pipefail\ncd '" RAILYARD_SOURCE_DIR "' && PATH='" << bin
                        << "':$PATH TMP='" << tmp << "' && export PATH TMP && {\n"
                        << transcript.command << "\n} >'" << out << "' 2>'" << err << "'\n";
  const int status = std::system(("bash '" + script + "'").c_str());
  Transcript again = transcript;
  again.out = portable(content(out), tmp);
  again.err = portable(content(err), tmp);
  again.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return again;
}

std::string wrong_end(const Transcript& done, int expected) {
  const int code = done.exit_code.value_or(-1);
  const std::string said = "$ " + done.command + "\nended with exit code ";
  if (code != expected)
    return said + std::to_string(code) + ", expected " + std::to_string(expected) + "\n" + done.err;
  if (expected == 0 && (prints_error(done.out) || prints_error(done.err)))
    return said + "0, but prints an error:\n" + done.out + done.err;
  return {};
}

Page run_page(const std::string& page, const std::string& prefix, const std::string& tmp) {
  static const std::regex kExpected(R"(\(exit code (\d+)\))");
  std::istringstream lines(page);
  Page fresh;
  bool in_console = false;
  std::string prose;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    if (is_fence) in_console = line == "```console";
    const bool is_command = in_console && line.starts_with("$ ");
    if (!in_console || is_fence || is_command) fresh.text += line + '\n';
    if (!in_console && !is_fence) prose += line + '\n';
    if (!is_command) continue;
    std::string command = line.substr(2);
    while (line.ends_with('\\') && std::getline(lines, line)) {
      fresh.text += line + '\n';
      command += '\n' + line;
    }
    int expected = 0;
    std::smatch match;
    while (std::regex_search(prose, match, kExpected)) {
      expected = std::stoi(match[1]);
      prose = match.suffix();
    }
    prose.clear();
    if (is_set_up(command)) continue;
    const Transcript done =
        run_again({.comment = {}, .command = prefix + command, .out = {}, .err = {}}, tmp);
    if (const std::string wrong = wrong_end(done, expected); !wrong.empty())
      fresh.problems.push_back(wrong);
    fresh.text += done.out + done.err;
  }
  return fresh;
}

}  // namespace railyard::apps::testing

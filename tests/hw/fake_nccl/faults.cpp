#include "tests/hw/fake_nccl/faults.hpp"

#include <cstdlib>
#include <mutex>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace fake {
namespace {

struct Fault {
  std::string action, call;
  int rank = 0, result = 1, nth = 1, seen = 0;
};

std::vector<Fault> read_faults(const std::string& text) {
  std::vector<Fault> faults;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    std::istringstream parts(one);
    std::vector<std::string> words;
    for (std::string word; std::getline(parts, word, ':');) words.push_back(word);
    words.resize(5);
    Fault fault{.action = words[0], .call = words[1]};
    fault.rank = std::atoi(words[2].c_str());
    if (!words[3].empty()) fault.result = std::atoi(words[3].c_str());
    if (!words[4].empty()) fault.nth = std::atoi(words[4].c_str());
    faults.push_back(fault);
  }
  return faults;
}

/// The fault that is due now, if any; counts the call.
std::optional<Fault> next(const char* call, int rank) {
  static std::mutex mutex;
  static std::string read;
  static std::vector<Fault> faults;
  const std::lock_guard lock(mutex);
  if (const std::string text = setting("FAKE_FAULT", ""); text != read) {
    faults = read_faults(text);
    read = text;
  }
  for (Fault& fault : faults) {
    if (fault.call == call && fault.rank == rank && ++fault.seen == fault.nth) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::string setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

int number(const char* name, int otherwise) {
  return std::atoi(setting(name, std::to_string(otherwise)).c_str());
}

std::optional<int> fault(const char* call, int rank) {
  const auto found = next(call, rank);
  if (!found) return std::nullopt;
  if (found->action == "hang") {
    for (;;) pause();
  }
  if (found->action == "die") _exit(9);
  return found->result;
}

bool due(const char* action, const char* call, int rank) {
  const auto found = next(call, rank);
  return found && found->action == action;
}

}  // namespace fake

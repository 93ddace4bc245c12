#include "apps/sweep/crash_guard.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace railyard::apps {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// What a signal handler may read: everything is made before it is installed.
struct Restart {
  std::string file;
  std::vector<std::string> words;
  std::vector<char*> arguments;
  std::array<struct sigaction, kSignals.size()> before{};
};
// A signal handler has no arguments.
std::atomic<Restart*> installed{nullptr};
std::atomic<bool> crashed{false};
thread_local const char* point_digest = nullptr;

/// The words of this process's command line.
std::vector<std::string> own_command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

void say(int descriptor, const char* text) {
  const ssize_t written = write(descriptor, text, std::strlen(text));
  (void)written;  // there is nobody to tell
}

/// Calls nothing but what POSIX allows in a handler.
void on_crash(int signal) {
  const Restart* restart = installed.load();
  if (restart == nullptr || point_digest == nullptr) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  if (crashed.exchange(true))
    for (;;) pause();  // another thread replaces the process
  const int file = open(restart->file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  const char number[] = {' ', static_cast<char>('0' + signal / 10),
                         static_cast<char>('0' + signal % 10), '\n', '\0'};
  if (file >= 0) {
    say(file, point_digest);
    say(file, number);
    say(STDERR_FILENO, "\nnote: a point crashed by signal");
    say(STDERR_FILENO, number);
    constexpr int kMostFiles = 4096;
    for (int other = STDERR_FILENO + 1; other < kMostFiles; ++other) close(other);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    execv("/proc/self/exe", restart->arguments.data());
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// A stack of its own for handlers of this thread: an overflow of the stack is a crash too.
void use_own_stack() {
  constexpr std::size_t kBytes = 64 * 1024;
  static thread_local std::unique_ptr<char[]> stack;
  if (stack) return;
  stack = std::make_unique<char[]>(kBytes);
  stack_t own{};
  own.ss_sp = stack.get();
  own.ss_size = kBytes;
  sigaltstack(&own, nullptr);
}

}  // namespace

CrashGuard::CrashGuard(const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = own_command_line();
  if (words.empty() || std::vector<std::string>(words.begin() + 1, words.end()) != arguments)
    return;
  auto restart = std::make_unique<Restart>();
  restart->file = file;
  restart->words = std::move(words);
  for (std::string& word : restart->words) restart->arguments.push_back(word.data());
  restart->arguments.push_back(nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &restart->before[i]);
  installed = restart.release();
}

CrashGuard::~CrashGuard() {
  const std::unique_ptr<Restart> restart(installed.exchange(nullptr));
  if (!restart) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &restart->before[i], nullptr);
}

CrashGuard::Point::Point(const std::string& digest) {
  if (installed.load() == nullptr) return;
  use_own_stack();
  point_digest = digest.c_str();
}

CrashGuard::Point::~Point() { point_digest = nullptr; }

std::vector<Crash> read_crashes(const std::string& file) {
  std::vector<Crash> crashes;
  std::ifstream in(file);
  for (Crash one; in >> one.digest >> one.signal;) crashes.push_back(one);
  return crashes;
}

}  // namespace railyard::apps

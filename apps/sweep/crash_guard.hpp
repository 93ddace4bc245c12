#pragma once

#include <string>
#include <vector>

namespace railyard::apps {

/// A point in which the process of a sweep crashed.
struct Crash {
  std::string digest;
  int signal = 0;
};

/// Lets a sweep on threads survive a point that crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT):
/// the handler appends the point to a file, says so on standard error, and replaces the process by
/// one with the same command line, which resumes. One guard at a time. A crash outside of points,
/// or in a process whose command line is another one, ends the process as without it.
class CrashGuard {
 public:
  /// `file`: where crashes are written; `arguments`: the command line without the program.
  CrashGuard(const std::string& file, const std::vector<std::string>& arguments);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  /// While it lives, this thread runs a point; `digest` must outlive it.
  class Point {
   public:
    explicit Point(const std::string& digest);
    ~Point();
    Point(const Point&) = delete;
    Point& operator=(const Point&) = delete;
  };
};

/// The crashes in a file; none where there is no file.
[[nodiscard]] std::vector<Crash> read_crashes(const std::string& file);

}  // namespace railyard::apps

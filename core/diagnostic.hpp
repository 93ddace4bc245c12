#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core {

/// One thing that is wrong with an input: where, what, and how to mend it.
struct Diagnostic {
  std::string file;     ///< path as the user gave it, "" for the command line
  std::string pointer;  ///< JSON pointer ("/fabric/link"), "line 12", "--bytes", or ""
  std::string message;
  std::string hint;  ///< "" where there is none; "did you mean 'nodes'?"
};

/// "FILE:POINTER: message (hint)", one line.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

/// The lines that are printed for a list of problems: one each for the first 20, then how many more
/// there are.
[[nodiscard]] std::vector<std::string> printed_lines(std::span<const Diagnostic> diagnostics);

/// The input is wrong (exit code 2). Carries every problem that was found, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  InputError(std::string file, std::string pointer, std::string message, std::string hint = {});
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const { return diagnostics_; }
  /// The same problems in `file`, for those that do not name one.
  [[nodiscard]] InputError in_file(const std::string& file) const;

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A machine, library or device that is needed is missing or failed (exit code 3).
/// The text names the host, the rank and the failing call where they are known.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collects problems, to be thrown together.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}
  void add(std::string pointer, std::string message, std::string hint = {});
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::size_t size() const { return found_.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Throws InputError with all that was collected, if anything was.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Diagnostic> found_;
};

/// "did you mean 'x'?": the nearest candidate, or up to four that contain `word` or a part like it;
/// else "".
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace railyard::core

namespace railyard {
using core::BackendError;
using core::Diagnostic;
using core::Diagnostics;
using core::InputError;
}  // namespace railyard

#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::core {

/// One problem of an input: its position, what is wrong, and how to correct it.
struct Diagnostic {
  std::string file;     ///< path as the user wrote it; "" for the command line
  std::string pointer;  ///< JSON pointer ("/fabric/link"), "line 12", "--bytes", or ""
  std::string message;
  std::string hint;  ///< such as "did you mean 'nodes'?"; "" if there is none
};

/// "FILE:POINTER: message (hint)", one line.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

/// The lines to print for a list of problems: one line for each of the first 20, then the number of
/// further problems.
[[nodiscard]] std::vector<std::string> printed_lines(std::span<const Diagnostic> diagnostics);

/// The input is wrong (exit code 2). Contains every problem that was found, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  InputError(std::string file, std::string pointer, std::string message, std::string hint = {});
  [[nodiscard]] std::span<const Diagnostic> diagnostics() const { return diagnostics_; }
  /// A copy in which problems without a file name have `file`.
  [[nodiscard]] InputError in_file(const std::string& file) const;

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A required machine, library or device is missing or failed (exit code 3). The text names the
/// host, the rank and the failing call if they are known.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collects problems, which are then thrown together as one InputError.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}
  void add(std::string pointer, std::string message, std::string hint = {});
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::size_t size() const { return found_.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Throws InputError with all collected problems, if there are any.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Diagnostic> found_;
};

/// The hint "did you mean 'x'?" with the candidate of the smallest edit distance, or with up to
/// four candidates that contain `word` or a similar part. "" if no candidate is similar.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace railyard::core

namespace railyard {
using core::BackendError;
using core::Diagnostic;
using core::Diagnostics;
using core::InputError;
}  // namespace railyard

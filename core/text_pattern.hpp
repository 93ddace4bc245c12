#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {  // NOLINT(readability-identifier-naming): the name of the library
class RE2;
}

namespace railyard::core {

/// A compiled regular expression in RE2's syntax. Matching takes time linear in the text and a
/// fixed amount of stack for any expression, so that expressions from a user's file are safe.
class TextPattern {
 public:
  enum class Case { ignored, counts };
  /// Throws InputError (without a file) if the expression is invalid or too large.
  explicit TextPattern(const std::string& expression, Case letters = Case::ignored);
  ~TextPattern();
  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;

  /// Whether the expression matches some part of the text. An empty expression always matches.
  [[nodiscard]] bool is_in(std::string_view text) const;
  /// Whether the expression matches the whole text.
  [[nodiscard]] bool is_all_of(std::string_view text) const;
  /// The text of the first capture group in the first match.
  [[nodiscard]] std::optional<std::string> first_group(std::string_view text) const;
  /// The error of an expression, such as "'(' is not a regular expression: missing )"; "" if it is
  /// valid.
  [[nodiscard]] static std::string problem(const std::string& expression);
  /// An expression that matches `expression` only if the characters next to the match are neither
  /// letters nor digits: "H100" matches in "DGX H100-80GB", but not in "GH100" or "H1000".
  [[nodiscard]] static std::string whole_words(const std::string& expression);
  /// An expression that matches `text` literally.
  [[nodiscard]] static std::string quoted(std::string_view text);

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace railyard::core

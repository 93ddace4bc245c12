#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {  // NOLINT(readability-identifier-naming): the name of the library
class RE2;
}

namespace railyard::core {

/// A regular expression in RE2's syntax, compiled once. Matching takes time linear in the text and
/// a fixed amount of stack, whatever the expression: both may come from a user's file.
class TextPattern {
 public:
  enum class Case { ignored, counts };
  /// Throws InputError (without a file) where the expression is wrong or too large.
  explicit TextPattern(const std::string& expression, Case letters = Case::ignored);
  ~TextPattern();
  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;

  /// Whether any part of the text matches; true for an empty expression.
  [[nodiscard]] bool is_in(std::string_view text) const;
  /// Whether the whole text matches.
  [[nodiscard]] bool is_all_of(std::string_view text) const;
  /// The text of the first group of the first match.
  [[nodiscard]] std::optional<std::string> first_group(std::string_view text) const;
  /// What is wrong with an expression: "'(' is not a regular expression: missing )", or "".
  [[nodiscard]] static std::string problem(const std::string& expression);
  /// An expression that matches what `expression` does, where no letter or digit is next to it:
  /// "H100" is in "DGX H100-80GB", and not in "GH100" or "H1000".
  [[nodiscard]] static std::string whole_words(const std::string& expression);
  /// An expression that matches `text` literally.
  [[nodiscard]] static std::string quoted(std::string_view text);

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace railyard::core

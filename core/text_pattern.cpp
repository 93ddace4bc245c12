#include "core/text_pattern.hpp"

#include <fmt/format.h>

#include <re2/re2.h>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options options_of(TextPattern::Case letters) {
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(letters == TextPattern::Case::counts);
  return options;
}

std::string problem_text(const RE2& expression) {
  return fmt::format("'{}' is not a regular expression: {}", expression.pattern().substr(0, 100),
                     expression.error());
}

}  // namespace

TextPattern::TextPattern(const std::string& expression, Case letters)
    : expression_(std::make_unique<const RE2>(expression, options_of(letters))) {
  if (!expression_->ok())
    throw InputError("", "", problem_text(*expression_),
                     "RE2's syntax: no look-ahead, no back-references");
}

std::string TextPattern::problem(const std::string& expression) {
  const RE2 compiled(expression, options_of(Case::ignored));
  return compiled.ok() ? "" : problem_text(compiled);
}

TextPattern::~TextPattern() = default;
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;

bool TextPattern::is_in(std::string_view text) const {
  return RE2::PartialMatch(piece(text), *expression_);
}

bool TextPattern::is_all_of(std::string_view text) const {
  return RE2::FullMatch(piece(text), *expression_);
}

std::optional<std::string> TextPattern::first_group(std::string_view text) const {
  std::string group;
  if (!RE2::PartialMatch(piece(text), *expression_, &group)) return std::nullopt;
  return group;
}

std::string TextPattern::whole_words(const std::string& expression) {
  return "(?:^|[^A-Za-z0-9])(?:" + expression + ")(?:$|[^A-Za-z0-9])";
}

std::string TextPattern::quoted(std::string_view text) { return RE2::QuoteMeta(piece(text)); }

}  // namespace railyard::core

#include "collectives/formats/traces/goal_program.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_map>

#include "collectives/formats/traces/trace_import.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

// Limits the memory that a malicious file can use: 32 bytes per operation, 1.6 GB in total.
constexpr std::uint64_t kMostOperations = 50'000'000;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The words of a text, line by line, without comments.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The next word; "\n" at the end of a line with words, "" at the end of the text. Braces and
  /// colons are words of their own.
  std::string_view next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        ++line_;
        if (!has_word_) continue;
        has_word_ = false;
        ended_ = true;
        return "\n";
      }
      if (is_space(c))
        ++at_;
      else if (!skip_comment())
        return word();
    }
    if (!has_word_) return "";
    has_word_ = false;
    return "\n";
  }

  /// The line of the word that next() returned last.
  [[nodiscard]] std::uint32_t line() const { return ended_ ? line_ - 1 : line_; }

  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    throw InputError(file_, fmt::format("line {}", line()), std::move(message), std::move(hint));
  }

 private:
  bool skip_comment() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
      return true;
    }
    if (!rest.starts_with("/*")) return false;
    const std::size_t end = text_.find("*/", at_ + 2);
    ended_ = false;
    if (end == std::string_view::npos) fail("the comment does not end", "close it with */");
    for (; at_ < end + 2; ++at_)
      if (text_[at_] == '\n') ++line_;
    return true;
  }

  std::string_view word() {
    has_word_ = true;
    ended_ = false;
    const auto is_mark = [](char c) { return c == '{' || c == '}' || c == ':'; };
    const std::size_t begin = at_++;
    if (is_mark(text_[begin])) return text_.substr(begin, 1);
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '\n' &&
           !is_mark(text_[at_]))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool has_word_ = false, ended_ = false;
};

/// A word as errors print it: short and printable.
std::string shown(std::string_view word) {
  if (word == "\n") return "the end of the line";
  if (word.empty()) return "the end of the file";
  std::string text(word.substr(0, 40));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "'" + text + "'";
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : words_(text, file) {}

  GoalProgram read() {
    expect("num_ranks");
    const std::uint64_t ranks = number("a number of ranks", kMostTracedRanks);
    if (ranks == 0) words_.fail("a program needs at least one rank");
    expect("\n");
    program_.ranks.resize(ranks);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) read_rank(rank);
    if (const std::string_view word = words_.next(); !word.empty())
      words_.fail(fmt::format("{} stands behind the last of {} ranks", shown(word), ranks));
    return std::move(program_);
  }

 private:
  void expect(std::string_view wanted) {
    const std::string_view word = words_.next();
    if (word == wanted) return;
    words_.fail(fmt::format("expected {}, found {}", shown(wanted), shown(word)));
  }

  std::uint64_t parsed(std::string_view word, std::string_view what, std::uint64_t most) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value > most)
      words_.fail(fmt::format("expected {}, found {}", what, shown(word)),
                  fmt::format("write a whole number from 0 to {}", most));
    return value;
  }
  std::uint64_t number(std::string_view what, std::uint64_t most) {
    return parsed(words_.next(), what, most);
  }

  void read_rank(std::uint64_t rank) {
    const std::string_view word = words_.next();
    if (word != "rank")
      words_.fail(fmt::format("expected 'rank {}', found {}", rank, shown(word)),
                  fmt::format("num_ranks is {}", program_.ranks.size()));
    if (number("the number of the rank", kMostTracedRanks) != rank)
      words_.fail(fmt::format("expected rank {}", rank), "list the ranks in order");
    expect("{");
    labels_.clear();
    rank_ = &program_.ranks[rank];
    for (;;) {
      const std::string_view first = words_.next();
      if (first == "\n") continue;
      if (first == "}") break;
      if (first.empty())
        words_.fail(fmt::format("rank {} does not end", rank), "the file may be truncated");
      read_line(first);
    }
    expect("\n");
  }

  void read_line(std::string_view first) {
    if (first == "send" || first == "recv" || first == "calc") return read_operation(first);
    const std::string_view second = words_.next();
    if (second == ":") {
      if (!labels_.emplace(first, static_cast<std::uint32_t>(rank_->operations.size())).second)
        words_.fail(fmt::format("the label {} appears twice", shown(first)));
      return read_operation(words_.next());
    }
    if (second != "requires" && second != "irequires")
      words_.fail(fmt::format("expected ':', 'requires' or 'irequires', found {}", shown(second)));
    const std::uint32_t later = labelled(first);
    const std::uint32_t earlier = labelled(words_.next());
    rank_->dependencies.push_back(
        {.later = later, .earlier = earlier, .after_start = second == "irequires"});
    expect("\n");
  }

  [[nodiscard]] std::uint32_t labelled(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      words_.fail(fmt::format("there is no operation {} above this line", shown(label)));
    return found->second;
  }

  void read_operation(std::string_view word) {
    if (++operations_ > kMostOperations)
      words_.fail(fmt::format("more than {} operations", kMostOperations));
    GoalOperation operation;
    operation.line = words_.line();
    if (word == "calc") {
      operation.amount = number("nanoseconds", std::numeric_limits<std::int64_t>::max() / 1000);
      options(operation, {"cpu"});
    } else if (word == "send" || word == "recv") {
      operation.type = word == "send" ? GoalType::send : GoalType::receive;
      read_message(operation);
    } else {
      words_.fail(fmt::format("{} is not an operation", shown(word)), "write send, recv or calc");
    }
    rank_->operations.push_back(operation);
  }

  void read_message(GoalOperation& operation) {
    const bool sends = operation.type == GoalType::send;
    std::string_view size = words_.next();
    if (!size.ends_with('b'))
      words_.fail(fmt::format("expected a size such as 1024b, found {}", shown(size)));
    size.remove_suffix(1);
    operation.amount = parsed(size, "a size", std::numeric_limits<std::int64_t>::max());
    expect(sends ? "to" : "from");
    const std::string_view peer = words_.next();
    if (!sends && peer == "-1") {
      operation.peer = GoalOperation::kAny;
    } else {
      operation.peer = static_cast<std::uint32_t>(parsed(peer, "a rank", kMostTracedRanks));
      if (operation.peer >= program_.ranks.size())
        words_.fail(fmt::format("there is no rank {}", operation.peer),
                    fmt::format("num_ranks is {}", program_.ranks.size()));
    }
    options(operation, {"tag", "cpu", "nic"});
  }

  void options(GoalOperation& operation, std::initializer_list<std::string_view> allowed) {
    for (;;) {
      const std::string_view word = words_.next();
      if (word == "\n") return;
      bool known = false;
      for (const std::string_view name : allowed) known = known || name == word;
      if (!known) words_.fail(fmt::format("expected an option, found {}", shown(word)));
      if (word == "tag")
        operation.tag = read_tag(operation.type);
      else
        (word == "cpu" ? operation.cpu : operation.nic) =
            static_cast<std::uint8_t>(number("a number", 255));
    }
  }

  std::uint32_t read_tag(GoalType type) {
    const std::string_view word = words_.next();
    if (type == GoalType::receive && word == "-1") return GoalOperation::kAny;
    return static_cast<std::uint32_t>(parsed(word, "a tag", GoalOperation::kAny - 1));
  }

  Words words_;
  GoalProgram program_;
  GoalRank* rank_ = nullptr;
  std::unordered_map<std::string_view, std::uint32_t> labels_;  ///< looked up only
  std::uint64_t operations_ = 0;
};

}  // namespace

GoalProgram read_goal(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace railyard::collectives

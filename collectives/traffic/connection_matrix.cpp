#include "collectives/traffic/connection_matrix.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The state of the parser.
class Reader {
 public:
  Reader(const std::string& file, std::uint32_t ranks) : problems_(file), ranks_(ranks) {}

  void line(int number_of_line, const std::string& text) {
    at_ = fmt::format("line {}", number_of_line);
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#') return;
    if (words[0] == "Nodes") return nodes(words);
    if (words[0] == "Connections") return header(words, connections_);
    if (words[0].find("->") != std::string::npos) return flow(words);
    problems_.add(at_, fmt::format("'{}' is not supported", words[0]),
                  "a line is 'Nodes N', 'Connections N' or 'A->B start PICOSECONDS size BYTES'");
  }

  std::vector<Flow> result() {
    if (connections_ && *connections_ != static_cast<std::int64_t>(flows_.size()))
      problems_.add("", fmt::format("the file announces {} connections and lists {}", *connections_,
                                    flows_.size()));
    if (flows_.empty()) problems_.add("", "the file lists no connections");
    problems_.throw_if_any();
    return std::move(flows_);
  }

 private:
  void header(const std::vector<std::string>& words, std::optional<std::int64_t>& value) {
    value = words.size() == 2 ? number(words[1]) : std::nullopt;
    if (!value) problems_.add(at_, fmt::format("'{}' needs a number", words[0]));
  }

  void nodes(const std::vector<std::string>& words) {
    header(words, nodes_);
    if (nodes_ && *nodes_ > ranks_)
      problems_.add(
          at_, fmt::format("{} nodes are more than the {} ranks of the cluster", *nodes_, ranks_),
          "a node of the file is a rank: use more --nodes");
  }

  void flow(const std::vector<std::string>& words) {
    const std::size_t arrow = words[0].find("->");
    const auto source = number(words[0].substr(0, arrow));
    const auto destination = number(words[0].substr(arrow + 2));
    if (!source || !destination) {
      problems_.add(at_, fmt::format("'{}' is not a pair of nodes", words[0]), "for example 0->13");
      return;
    }
    const std::int64_t nodes = nodes_.value_or(ranks_);
    if (*source >= nodes || *destination >= nodes) {
      problems_.add(at_,
                    fmt::format("node {} is beyond the {} nodes of the file",
                                std::max(*source, *destination), nodes),
                    "nodes count from 0");
      return;
    }
    if (*source == *destination) {
      problems_.add(at_, fmt::format("node {} sends to itself", *source));
      return;
    }
    add({static_cast<std::uint32_t>(*source), static_cast<std::uint32_t>(*destination), {}, {}},
        words);
  }

  void add(Flow flow, const std::vector<std::string>& words) {
    std::optional<std::int64_t> start, size;
    for (std::size_t i = 1; i < words.size(); i += 2) {
      const std::string& key = words[i];
      const auto value = i + 1 < words.size() ? number(words[i + 1]) : std::nullopt;
      const bool is_known = key == "start" || key == "size" || key == "id" || key == "prio";
      if (!is_known) {
        problems_.add(at_, fmt::format("'{}' is not supported", key),
                      "supported are id, start, size and prio");
        return;
      }
      if (!value) {
        problems_.add(at_, fmt::format("'{}' needs a whole number", key));
        return;
      }
      if (key == "start") start = value;
      if (key == "size") size = value;
    }
    if (!start) problems_.add(at_, "'start' is missing", "in picoseconds");
    if (!size || *size == 0) problems_.add(at_, "'size' is missing or 0", "in bytes");
    if (!start || !size) return;
    flow.start = Time::picoseconds(*start);
    flow.bytes = Bytes(*size);
    flows_.push_back(flow);
  }

  Diagnostics problems_;
  std::uint32_t ranks_;
  std::string at_;
  std::optional<std::int64_t> nodes_, connections_;
  std::vector<Flow> flows_;
};

}  // namespace

std::vector<Flow> parse_connection_matrix(const std::string& text, const std::string& file,
                                          std::uint32_t ranks) {
  Reader reader(file, ranks);
  std::istringstream stream(text);
  int number_of_line = 0;
  for (std::string line; std::getline(stream, line);) reader.line(++number_of_line, line);
  return reader.result();
}

}  // namespace railyard::collectives

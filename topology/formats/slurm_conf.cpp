#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/config/text_file.hpp"
#include "topology/formats/hostlist.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::topology {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// "Key=value" pairs of a line; keys in lower case.
struct Pair {
  std::string key;
  std::string_view value;
};

class ConfReader {
 public:
  ConfReader(std::string_view text, const std::string& file) : text_(text), problems_(file) {}

  SlurmTopology read() && {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      ++line_;
      read_line(text_.substr(start, end - start));
      start = end + 1;
    }
    if (!blocks_.switches.empty()) join_blocks();
    check_tree(out_.tree, problems_);
    problems_.throw_if_any();
    return std::move(out_);
  }

 private:
  std::string where() const { return fmt::format("line {}", line_); }

  void read_line(std::string_view line) {
    const std::vector<Pair> pairs = split(line.substr(0, line.find('#')));
    if (pairs.empty()) return;
    const std::string& first = pairs.front().key;
    if (first == "switchname") return read_switch(pairs);
    if (first == "blockname") return read_block(pairs);
    if (first == "blocksizes") return;  // how jobs are packed, not how blocks are joined
    constexpr std::array<std::string_view, 3> kKeys{"switchname", "blockname", "blocksizes"};
    problems_.add(where(),
                  fmt::format("'{}' begins no line of a topology.conf", first.substr(0, 40)),
                  core::did_you_mean(first, kKeys));
  }

  /// Blanks separate pairs, except within brackets.
  std::vector<Pair> split(std::string_view line) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < line.size();) {
      if (std::isspace(static_cast<unsigned char>(line[i]))) {
        ++i;
        continue;
      }
      std::size_t end = i;
      for (int depth = 0; end < line.size(); ++end) {
        if (line[end] == '[') ++depth;
        if (line[end] == ']') --depth;
        if (depth <= 0 && std::isspace(static_cast<unsigned char>(line[end]))) break;
      }
      const std::string_view word = line.substr(i, end - i);
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) {
        problems_.add(where(), fmt::format("'{}' is not Key=value", word.substr(0, 40)));
      } else {
        pairs.push_back({lower(word.substr(0, equals)), word.substr(equals + 1)});
      }
      i = end;
    }
    return pairs;
  }

  void read_switch(const std::vector<Pair>& pairs) {
    constexpr std::array<std::string_view, 4> kKeys{"switchname", "switches", "nodes", "linkspeed"};
    TreeSwitch node{.name = std::string(pairs.front().value), .where = where()};
    for (const Pair& pair : pairs) {
      if (pair.key == "nodes") node.hosts = names(pair.value, "Nodes");
      if (pair.key == "switches") node.switches = names(pair.value, "Switches");
      if (std::ranges::find(kKeys, pair.key) == kKeys.end())
        problems_.add(where(), fmt::format("unknown key '{}'", pair.key.substr(0, 40)),
                      core::did_you_mean(pair.key, kKeys));
    }
    out_.tree.switches.push_back(std::move(node));
  }

  void read_block(const std::vector<Pair>& pairs) {
    TreeSwitch block{.name = std::string(pairs.front().value), .where = where()};
    for (const Pair& pair : pairs)
      if (pair.key == "nodes") block.hosts = names(pair.value, "Nodes");
    blocks_.switches.push_back(std::move(block));
  }

  std::vector<std::string> names(std::string_view value, std::string_view key) {
    core::Parsed<std::vector<std::string>> parsed = parse_hostlist(value, kMaxNames - count_);
    if (!parsed.value) {
      problems_.add(where(), fmt::format("{}: {}", key, parsed.error), "such as tux[0-15]");
      return {};
    }
    count_ += parsed.value->size();
    return std::move(*parsed.value);
  }

  void join_blocks() {
    if (!out_.tree.switches.empty()) {
      problems_.add(blocks_.switches.front().where, "has both switches and blocks",
                    "a topology is a tree or blocks");
      return;
    }
    out_ = topology_of_blocks(std::move(blocks_.switches));
  }

  static constexpr std::size_t kMaxNames = 200'000;

  std::string_view text_;
  Diagnostics problems_;
  SlurmTopology out_;
  SwitchTree blocks_;
  std::size_t count_ = 0;
  int line_ = 0;
};

}  // namespace

SlurmTopology topology_of_blocks(std::vector<TreeSwitch> blocks) {
  SlurmTopology out;
  out.notes.push_back(
      "a block topology names no switches: each block is taken "
      "for a leaf, all below one spine");
  TreeSwitch root{.name = "blocks"};
  for (const TreeSwitch& block : blocks) root.switches.push_back(block.name);
  root.where = blocks.front().where;
  out.tree.switches = std::move(blocks);
  if (out.tree.switches.size() > 1) out.tree.switches.push_back(std::move(root));
  return out;
}

SlurmTopology read_slurm_conf(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > core::kMaxTextFile.count())
    throw InputError(file, "", fmt::format("is larger than {}", core::to_text(core::kMaxTextFile)));
  return ConfReader(text, file).read();
}

}  // namespace railyard::topology

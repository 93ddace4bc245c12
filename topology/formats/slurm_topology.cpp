#include "topology/formats/slurm_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <yaml-cpp/yaml.h>

#include "core/config/text_file.hpp"
#include "core/disjoint_sets.hpp"
#include "topology/formats/hostlist.hpp"

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
    if (first == "blocksizes") return;  // not needed: it only affects how jobs are placed
    constexpr std::array<std::string_view, 3> kKeys{"switchname", "blockname", "blocksizes"};
    problems_.add(where(),
                  fmt::format("'{}' begins no line of a topology.conf", first.substr(0, 40)),
                  core::did_you_mean(first, kKeys));
  }

  /// Blanks outside of brackets separate pairs.
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

namespace {

constexpr std::size_t kMaxNames = 200'000;
// Limit on lines. Real files have a few thousand; YAML aliases can multiply them.
constexpr std::size_t kMaxSwitches = 100'000;

std::string where(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return mark.is_null() ? std::string() : fmt::format("line {}", mark.line + 1);
}

class YamlReader {
 public:
  explicit YamlReader(const std::string& file) : problems_(file) {}

  SlurmTopology read(const YAML::Node& root) && {
    const YAML::Node chosen = choose(root);
    if (chosen) read_topology(chosen);
    if (problems_.empty()) check_tree(out_.tree, problems_);
    problems_.throw_if_any();
    return std::move(out_);
  }

 private:
  /// The cluster's default topology, or the first one if there is no default.
  YAML::Node choose(const YAML::Node& root) {
    if (!root.IsSequence() || root.size() == 0) {
      problems_.add(where(root), "is not a list of topologies",
                    "Slurm's topology.yaml begins with '- topology: NAME'");
      return YAML::Node(YAML::NodeType::Undefined);
    }
    for (const YAML::Node& topology : root)
      if (topology.IsMap() && topology["cluster_default"] && is_true(topology["cluster_default"]))
        return named(topology);
    if (root.size() > 1)
      out_.notes.push_back("no topology is the cluster's default: the first one is taken");
    return named(root[0]);
  }

  static bool is_true(const YAML::Node& node) { return node.as<bool>(false); }

  YAML::Node named(const YAML::Node& topology) {
    if (topology.IsMap() && topology["topology"]) return topology;
    problems_.add(where(topology), "a topology without a name", "'- topology: NAME' comes first");
    return YAML::Node(YAML::NodeType::Undefined);
  }

  void read_topology(const YAML::Node& topology) {
    const YAML::Node tree = topology["tree"], block = topology["block"];
    if (tree && block) {
      problems_.add(where(topology), "has both tree and block", "a topology has one kind");
    } else if (tree) {
      read_switches(tree);
    } else if (block) {
      read_blocks(block);
    } else {
      problems_.add(where(topology), "has neither tree nor block",
                    "a flat topology says nothing of switches");
    }
  }

  /// The list at `key`. If there is none, adds a problem and returns an empty list.
  YAML::Node list(const YAML::Node& parent, const char* key) {
    if (parent.IsMap() && parent[key] && parent[key].IsSequence() && parent[key].size() > 0)
      return parent[key];
    problems_.add(where(parent), fmt::format("has no list of {}", key));
    return YAML::Node(YAML::NodeType::Sequence);
  }

  void read_switches(const YAML::Node& tree) {
    for (const YAML::Node& item : list(tree, "switches")) {
      if (out_.tree.switches.size() >= kMaxSwitches) return too_many(item);
      out_.tree.switches.push_back(read_item(item, "switch"));
    }
  }

  void read_blocks(const YAML::Node& block) {
    std::vector<TreeSwitch> blocks;
    for (const YAML::Node& item : list(block, "blocks")) {
      if (blocks.size() >= kMaxSwitches) return too_many(item);
      blocks.push_back(read_item(item, "block"));
    }
    if (blocks.empty()) return;
    SlurmTopology joined = topology_of_blocks(std::move(blocks));
    out_.tree = std::move(joined.tree);
    out_.notes.insert(out_.notes.end(), joined.notes.begin(), joined.notes.end());
  }

  void too_many(const YAML::Node& item) {
    problems_.add(where(item), fmt::format("more than {} switches", kMaxSwitches));
  }

  TreeSwitch read_item(const YAML::Node& item, const char* kind) {
    TreeSwitch node{.where = where(item)};
    if (!item.IsMap() || !item[kind] || !item[kind].IsScalar()) {
      problems_.add(node.where, fmt::format("an entry without '{}: NAME'", kind));
      return node;
    }
    node.name = item[kind].Scalar();
    for (const auto& entry : item) {
      const std::string key = entry.first.as<std::string>("");
      const bool is_switch = std::string_view(kind) == "switch";
      if (key == "nodes") {
        node.hosts = names(entry.second, key);
      } else if (key == "children" && is_switch) {
        node.switches = names(entry.second, key);
      } else if (key != kind) {
        const std::array<std::string_view, 3> keys{kind, "nodes", is_switch ? "children" : kind};
        problems_.add(where(entry.first), fmt::format("unknown key '{}'", key.substr(0, 40)),
                      core::did_you_mean(key, keys));
      }
    }
    return node;
  }

  std::vector<std::string> names(const YAML::Node& node, const std::string& key) {
    if (!node.IsScalar()) {
      problems_.add(where(node), fmt::format("{} is not a hostlist", key), "such as tux[0-15]");
      return {};
    }
    core::Parsed<std::vector<std::string>> parsed =
        parse_hostlist(node.Scalar(), kMaxNames - count_);
    if (!parsed.value) {
      problems_.add(where(node), fmt::format("{}: {}", key, parsed.error), "such as tux[0-15]");
      return {};
    }
    count_ += parsed.value->size();
    return std::move(*parsed.value);
  }

  Diagnostics problems_;
  SlurmTopology out_;
  std::size_t count_ = 0;
};

}  // namespace

SlurmTopology read_slurm_yaml(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > core::kMaxTextFile.count())
    throw InputError(file, "", fmt::format("is larger than {}", core::to_text(core::kMaxTextFile)));
  try {
    return YamlReader(file).read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    const std::string place =
        error.mark.is_null()
            ? ""
            : fmt::format("line {}, column {}", error.mark.line + 1, error.mark.column + 1);
    throw InputError(file, place, "not YAML: " + error.msg);
  }
}

std::string write_slurm_yaml(const SwitchTree& tree, std::string_view name) {
  YAML::Emitter out;
  out << YAML::BeginSeq << YAML::BeginMap;
  out << YAML::Key << "topology" << YAML::Value << std::string(name);
  out << YAML::Key << "cluster_default" << YAML::Value << true;
  out << YAML::Key << "tree" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "switches" << YAML::Value << YAML::BeginSeq;
  for (const TreeSwitch& node : tree.switches) {
    out << YAML::BeginMap << YAML::Key << "switch" << YAML::Value << node.name;
    if (!node.switches.empty())
      out << YAML::Key << "children" << YAML::Value << format_hostlist(node.switches);
    if (!node.hosts.empty())
      out << YAML::Key << "nodes" << YAML::Value << format_hostlist(node.hosts);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq << YAML::EndMap << YAML::EndMap << YAML::EndSeq;
  return std::string(out.c_str()) + "\n";
}

namespace {

/// The group number of each node: nodes are in one group if they reach each other through switches
/// of tiers up to `up_to_tier`.
std::vector<std::size_t> groups_of_nodes(const Cluster& cluster, int up_to_tier) {
  core::DisjointSets groups(cluster.device_count());
  const auto counts = [&](DeviceId id) {
    const Device& device = cluster.device(id);
    return !is_fabric_switch(device.kind) || tier(device.kind) <= up_to_tier;
  };
  for (const Link& link : cluster.links())
    if (counts(link.from) && counts(link.to)) groups.join(link.from.value(), link.to.value());
  std::map<std::uint32_t, std::size_t> numbers;
  std::vector<std::size_t> group_of_node;
  for (std::size_t node = 0; node < cluster.node_count(); ++node) {
    const std::uint32_t group = groups.find(cluster.node(NodeId(node)).first_device.value());
    group_of_node.push_back(numbers.try_emplace(group, numbers.size()).first->second);
  }
  return group_of_node;
}

std::size_t group_count(const std::vector<std::size_t>& groups) {
  return groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + 1;
}

}  // namespace

SwitchTree tree_of_cluster(const Cluster& cluster) {
  constexpr const char* kNames[] = {"leaf", "spine", "core"};
  SwitchTree tree;
  std::vector<std::size_t> below(cluster.node_count());  // by node: its group one level down
  std::iota(below.begin(), below.end(), std::size_t{0});
  std::vector<std::string> names;  // names of the groups one level down; empty at the level of
                                   // nodes
  for (int level = 1; level <= 3; ++level) {
    const std::vector<std::size_t> groups = groups_of_nodes(cluster, level);
    if (!names.empty() && group_count(groups) == names.size()) continue;
    const std::size_t first = tree.switches.size();
    std::vector<std::string> made;
    for (std::size_t group = 0; group < group_count(groups); ++group) {
      made.push_back(fmt::format("{}{}", kNames[level - 1], group));
      tree.switches.push_back({.name = made.back()});
    }
    std::vector<bool> placed(cluster.node_count());  // groups one level down that already have a
                                                     // parent
    for (std::size_t node = 0; node < groups.size(); ++node) {
      if (placed[below[node]]) continue;
      placed[below[node]] = true;
      TreeSwitch& parent = tree.switches[first + groups[node]];
      if (names.empty()) {
        parent.hosts.push_back(fmt::format("node{}", node));
      } else {
        parent.switches.push_back(names[below[node]]);
      }
    }
    below = groups;
    names = std::move(made);
  }
  return tree;
}

std::string write_slurm_conf(const SwitchTree& tree) {
  std::string out;
  for (const TreeSwitch& node : tree.switches) {
    out += "SwitchName=" + node.name;
    if (!node.switches.empty()) out += " Switches=" + format_hostlist(node.switches);
    if (!node.hosts.empty()) out += " Nodes=" + format_hostlist(node.hosts);
    out += '\n';
  }
  return out;
}

}  // namespace railyard::topology

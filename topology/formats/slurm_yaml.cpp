#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <yaml-cpp/yaml.h>

#include "core/config/text_file.hpp"
#include "topology/formats/hostlist.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::topology {
namespace {

constexpr std::size_t kMaxNames = 200'000;
// Real files have a few thousand lines; this bounds what aliases can multiply.
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
  /// The first topology that is the cluster's default, else the first one.
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

  /// The list below `key`, or an empty one with a problem.
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

}  // namespace railyard::topology

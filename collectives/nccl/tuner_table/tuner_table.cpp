#include "collectives/nccl/tuner_table/tuner_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "core/config/config_node.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

using core::ConfigNode;
using Names = std::vector<std::string_view>;

/// In the order of NCCL's tables (nccl_common.h: ncclFunc_t, NCCL_ALGO_*, NCCL_PROTO_*).
const Names& functions() {
  static const Names names{"broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"};
  return names;
}
const Names& algorithms() {
  static const Names names{"tree",      "ring", "collnet_direct", "collnet_chain", "nvls",
                           "nvls_tree", "pat"};
  return names;
}
const Names& protocols() {
  static const Names names{"ll", "ll128", "simple"};
  return names;
}

/// Reads members of JSON objects and collects the problems.
class TableReader {
 public:
  explicit TableReader(const std::string& file) : problems_(file) {}

  int name(const ConfigNode& node, std::string_view key, const Names& names) {
    const auto member = node.find(key);
    const auto text = member ? member->text() : std::nullopt;
    if (!text) {
      problems_.add(node.pointer(), fmt::format("key '{}' (a text) is missing", key));
      return 0;
    }
    const auto at = std::ranges::find(names, *text);
    if (at == names.end()) problems_.add(member->pointer(), core::unknown_name(*text, names));
    return static_cast<int>(at - names.begin());
  }

  /// A non-negative integer; `otherwise` if the member is missing.
  std::uint64_t count(const ConfigNode& node, std::string_view key,
                      std::optional<std::uint64_t> otherwise = {}) {
    const auto member = node.find(key);
    if (!member && otherwise) return *otherwise;
    const auto value = member ? member->integer() : std::nullopt;
    if (value && *value >= 0) return static_cast<std::uint64_t>(*value);
    problems_.add(node.pointer(), fmt::format("key '{}' (a number) is missing", key));
    return 0;
  }

  TunerDecision decision(const ConfigNode& node) {
    return {.function = name(node, "collective", functions()),
            .from = count(node, "from_bytes"),
            .to = count(node, "to_bytes", std::numeric_limits<std::uint64_t>::max()),
            .algorithm = name(node, "algorithm", algorithms()),
            .protocol = name(node, "protocol", protocols())};
  }

  Diagnostics& problems() { return problems_; }

 private:
  Diagnostics problems_;
};

}  // namespace

TunerTable read_tuner_table(const std::filesystem::path& path) {
  const ConfigNode root = ConfigNode::read(path);
  TableReader reader(root.file());
  const auto kind = root.find("kind");
  if (!kind || kind->text() != "nccl_tuner") {
    reader.problems().add("/kind", "is not a file of railyard explain --tuner-json");
    reader.problems().throw_if_any();
  }
  TunerTable table{
      .nodes = reader.count(root, "nodes"), .ranks = reader.count(root, "ranks"), .decisions = {}};
  const auto ranges = root.find("ranges");
  if (!ranges || !ranges->is_list()) reader.problems().add("", "list 'ranges' is missing");
  if (ranges) {
    for (const ConfigNode& range : ranges->elements())
      table.decisions.push_back(reader.decision(range));
  }
  reader.problems().throw_if_any();
  return table;
}

const TunerDecision* TunerTable::decision(int function, std::uint64_t bytes) const {
  const auto covers = [&](const TunerDecision& decision) {
    return decision.function == function && decision.from <= bytes && bytes <= decision.to;
  };
  const auto found = std::ranges::find_if(decisions, covers);
  return found == decisions.end() ? nullptr : &*found;
}

}  // namespace railyard::collectives::nccl

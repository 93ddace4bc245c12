#include "placement/launch/kubernetes_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/config/names.hpp"

namespace railyard::placement {
namespace {

using topology::SwitchTree;
using topology::TreeSwitch;

/// The switches above each host, the nearest first.
class Ancestors {
 public:
  explicit Ancestors(const SwitchTree& tree) {
    std::map<std::string, std::string> parent;
    for (const TreeSwitch& at : tree.switches) {
      for (const std::string& below : at.switches) parent[below] = at.name;
    }
    for (const TreeSwitch& at : tree.switches) {
      for (const std::string& host : at.hosts) {
        std::vector<std::string>& above = of_host_[host];
        for (std::string name = at.name;;) {
          above.push_back(name);
          const auto up = parent.find(name);
          if (up == parent.end()) break;
          name = up->second;
        }
        levels_ = std::max(levels_, above.size());
      }
    }
  }
  [[nodiscard]] std::size_t levels() const { return levels_; }
  [[nodiscard]] const std::vector<std::string>& of(const std::string& host) const {
    static const std::vector<std::string> kNone;
    const auto found = of_host_.find(host);
    return found == of_host_.end() ? kNone : found->second;
  }
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& all() const {
    return of_host_;
  }

  /// The lowest level (0: nearest to the hosts) at which all have the same switch; levels() if
  /// none.
  [[nodiscard]] std::size_t common_level(const std::vector<std::string>& hosts) const {
    for (std::size_t level = 0; level < levels_; ++level) {
      const auto same = [&](const std::string& host) {
        return of(host).size() > level && of(hosts.front()).size() > level &&
               of(host)[level] == of(hosts.front())[level];
      };
      if (std::ranges::all_of(hosts, same)) return level;
    }
    return levels_;
  }

 private:
  std::map<std::string, std::vector<std::string>> of_host_;
  std::size_t levels_ = 0;
};

/// What every node of the topology has: a flavor with a topology must have a label of nodes
/// (resourceflavor_types.go of Kueue: "at least one nodeLabel is required when topology is set").
constexpr std::string_view kFlavorLabel = "railyard.dev/topology=railyard";

std::string label(std::size_t level) { return fmt::format("railyard.dev/tier-{}", level + 1); }

/// Names of Kubernetes objects: lower case, '-' for what is not a letter or digit (RFC 1123).
std::string object_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += is_plain ? c : is_upper ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  // Names of jobs become labels of pods: at most 63 characters, a letter or digit at both ends.
  constexpr std::size_t kLongest = 63;
  out.resize(std::min(out.size(), kLongest));
  while (out.ends_with('-')) out.pop_back();
  const std::size_t first = out.find_first_not_of('-');
  return first == out.npos ? "railyard" : out.substr(first);
}

/// Values of labels: letters, digits, '-', '_' and '.', at most 63.
std::string label_value(const std::string& name) {
  constexpr std::size_t kLongest = 63;
  std::string out = name.substr(0, kLongest);
  for (char& c : out)
    if (!core::host_name_problem(std::string_view(&c, 1)).empty() && c != '-' && c != '_' &&
        c != '.')
      c = '-';
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + core::yaml_scalar(word);
  return text;
}

/// `text` with every line indented, for a block of YAML: quotes and backslashes stay as they are.
std::string indented(const std::string& text, int spaces) {
  const std::string margin(static_cast<std::size_t>(spaces), ' ');
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += margin + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

/// What a pod runs: Kubernetes gives pods to the hosts in any order, so that a pod finds its place
/// by the name of its host.
std::string pod_script(const JobHosts& hosts, const KubernetesJob& job) {
  std::string list;
  for (const std::string& host : hosts.hosts) list += (list.empty() ? "" : " ") + host;
  return fmt::format(
      "hosts=\"{}\"  # in rank order\n"
      "NODE_RANK=0\n"
      "for host in $hosts; do\n"
      "  if [ \"$host\" = \"$NODE_NAME\" ]; then break; fi\n"
      "  NODE_RANK=$((NODE_RANK + 1))\n"
      "done\n"
      "export NODE_RANK NNODES={} MASTER_ADDR={} MASTER_PORT=${{MASTER_PORT:-29500}}\n"
      "{}",
      list, hosts.hosts.size(), hosts.hosts.front(), job.command);
}

/// The pod template from "spec:" on, indented by `indent` spaces. MASTER_ADDR is a host's name:
/// pods are in the hosts' network, where their NICs are too.
std::string pod_spec(const JobHosts& hosts, const KubernetesJob& job, int indent) {
  return fmt::format(
             "{0:{1}}spec:\n"
             "{0:{1}}  restartPolicy: Never\n"
             "{0:{1}}  hostNetwork: true\n"
             "{0:{1}}  dnsPolicy: ClusterFirstWithHostNet\n"
             "{0:{1}}  affinity:\n"
             "{0:{1}}    nodeAffinity:\n"
             "{0:{1}}      requiredDuringSchedulingIgnoredDuringExecution:\n"
             "{0:{1}}        nodeSelectorTerms:\n"
             "{0:{1}}        - matchExpressions:\n"
             "{0:{1}}          - {{key: kubernetes.io/hostname, operator: In, values: [{2}]}}\n"
             "{0:{1}}  containers:\n"
             "{0:{1}}  - name: worker\n"
             "{0:{1}}    image: {3}\n"
             "{0:{1}}    env:\n"
             "{0:{1}}    - name: NODE_NAME\n"
             "{0:{1}}      valueFrom: {{fieldRef: {{fieldPath: spec.nodeName}}}}\n"
             "{0:{1}}    resources:\n"
             "{0:{1}}      limits: {{nvidia.com/gpu: {4}}}\n"
             "{0:{1}}    command:\n"
             "{0:{1}}    - sh\n"
             "{0:{1}}    - -c\n"
             "{0:{1}}    - |\n",
             "", indent, joined(hosts.hosts), core::yaml_scalar(job.image),
             *std::ranges::max_element(hosts.ranks_on)) +
         indented(pod_script(hosts, job), indent + 6);
}

}  // namespace

std::string kueue_yaml(const JobHosts& hosts, const SwitchTree& tree, const KubernetesJob& job) {
  const Ancestors above(tree);
  std::string text = "# Labels that the topology is read from:\n";
  for (const auto& [host, switches] : above.all()) {
    text += fmt::format("#   kubectl label node {}", core::shell_word(host));
    for (std::size_t l = switches.size(); l-- > 0;)
      text += fmt::format(" {}={}", label(l), label_value(switches[l]));
    text += fmt::format(" {}\n", kFlavorLabel);
  }
  text +=
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: railyard\nspec:\n  "
      "levels:\n";
  for (std::size_t l = above.levels(); l-- > 0;)
    text += fmt::format("  - nodeLabel: {}\n", label(l));
  text += "  - nodeLabel: kubernetes.io/hostname\n";
  text +=
      "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata:\n  name: "
      "railyard\nspec:\n"
      "  nodeLabels:\n    railyard.dev/topology: railyard\n"
      "  topologyName: railyard\n";
  text += fmt::format(
      "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {0}\n  labels:\n"
      "    kueue.x-k8s.io/queue-name: QUEUE\nspec:\n  completionMode: Indexed\n  completions: {1}\n"
      "  parallelism: {1}\n  template:\n    metadata:\n      annotations:\n",
      object_name(job.name), hosts.hosts.size());
  const std::size_t common = above.common_level(hosts.hosts);
  text += common < above.levels()
              ? fmt::format("        kueue.x-k8s.io/podset-required-topology: {}\n", label(common))
              : std::string("        kueue.x-k8s.io/podset-unconstrained-topology: \"true\"\n");
  return text + pod_spec(hosts, job, 4);
}

std::string volcano_yaml(const JobHosts& hosts, const SwitchTree& tree, const KubernetesJob& job) {
  const Ancestors above(tree);
  std::map<std::string, std::size_t> tier;
  for (const auto& [host, switches] : above.all()) {
    for (std::size_t l = 0; l < switches.size(); ++l) tier[switches[l]] = l + 1;
  }
  std::string text;
  for (const TreeSwitch& at : tree.switches) {
    text += fmt::format(
        "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n  name: {}\nspec:\n"
        "  tier: {}\n  members:\n",
        object_name(at.name), tier[at.name]);
    const auto member = [&](const char* type, const std::string& name) {
      text += fmt::format("  - type: {}\n    selector: {{exactMatch: {{name: {}}}}}\n", type, name);
    };
    for (const std::string& below : at.switches) member("HyperNode", object_name(below));
    for (const std::string& host : at.hosts) member("Node", core::yaml_scalar(host));
    text += "---\n";
  }
  const std::size_t common = above.common_level(hosts.hosts);
  text += fmt::format(
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: {0}\nspec:\n"
      "  schedulerName: volcano\n  minAvailable: {1}\n",
      object_name(job.name), hosts.hosts.size());
  text += common < above.levels()
              ? fmt::format("  networkTopology:\n    mode: hard\n    highestTierAllowed: {}\n",
                            common + 1)
              : std::string("  networkTopology:\n    mode: soft\n");
  text += fmt::format("  tasks:\n  - name: worker\n    replicas: {}\n    template:\n",
                      hosts.hosts.size());
  return text + pod_spec(hosts, job, 6);
}

}  // namespace railyard::placement

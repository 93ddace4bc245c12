#include "placement/launch/kubernetes_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/config/names.hpp"
#include "placement/launch/indented.hpp"
#include "placement/launch/mpi_files.hpp"

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

  /// The lowest level (0: nearest to the hosts) at which all hosts have the same switch; levels()
  /// if there is none.
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

/// A label for all nodes of the topology, because Kueue requires one (resourceflavor_types.go: "at
/// least one nodeLabel is required when topology is set").
constexpr std::string_view kFlavorLabel = "railyard.dev/topology=railyard";

/// Resource name in the examples of NVIDIA's network operator (rdmaSharedDevicePlugin).
constexpr std::string_view kRdmaResource = "rdma/rdma_shared_device_a";

std::string label(std::size_t level) { return fmt::format("railyard.dev/tier-{}", level + 1); }

/// A name of a Kubernetes object: lower case, '-' for other characters than letters and digits (RFC
/// 1123).
std::string object_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += is_plain ? c : is_upper ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  // Job names become pod labels: at most 63 characters, with a letter or digit at both ends.
  constexpr std::size_t kLongest = 63;
  out.resize(std::min(out.size(), kLongest));
  while (out.ends_with('-')) out.pop_back();
  const std::size_t first = out.find_first_not_of('-');
  return first == out.npos ? "railyard" : out.substr(first);
}

/// A label value: letters, digits, '-', '_' and '.', at most 63 characters.
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

/// By host: device numbers of its ranks inside a pod. The pod has as many GPUs as ranks, numbered
/// from 0.
std::vector<std::vector<int>> pod_devices(const JobHosts& hosts) {
  std::vector<std::vector<int>> devices = gpus_of_hosts(hosts);
  for (std::vector<int>& of : devices) {
    std::vector<int> sorted = of;
    std::ranges::sort(sorted);
    for (int& gpu : of)
      gpu = static_cast<int>(std::ranges::lower_bound(sorted, gpu) - sorted.begin());
  }
  return devices;
}

/// Bash that sets CUDA_VISIBLE_DEVICES by NODE_RANK; empty if the GPUs of each host are in rank
/// order.
std::string device_order(const JobHosts& hosts) {
  const std::vector<std::vector<int>> devices = pod_devices(hosts);
  if (std::ranges::all_of(devices, [](const auto& of) { return std::ranges::is_sorted(of); }))
    return {};
  std::string text = "devices=(";
  for (std::size_t h = 0; h < devices.size(); ++h)
    text +=
        fmt::format("{}{}", h == 0 ? "" : " ", fmt::format("\"{}\"", fmt::join(devices[h], ",")));
  return text +
         ")  # GPUs of a host in the order of its ranks\n"
         "export CUDA_VISIBLE_DEVICES=\"${devices[NODE_RANK]}\"\n";
}

/// Bash that starts the ranks of a host one by one, and stops all of them when one fails.
std::string ranks_one_by_one(const JobHosts& hosts) {
  std::map<std::string, std::string> ranks;
  for (std::size_t r = 0; r < hosts.of_rank.size(); ++r) {
    std::string& list = ranks[hosts.of_rank[r]];
    list += fmt::format("{}{}", list.empty() ? "" : " ", r);
  }
  std::string text = "ranks_of_host=(";
  for (std::size_t h = 0; h < hosts.hosts.size(); ++h)
    text += fmt::format("{}\"{}\"", h == 0 ? "" : " ", ranks.at(hosts.hosts[h]));
  return text +
         fmt::format(
             ")\n"
             "read -r -a ranks <<< \"${{ranks_of_host[NODE_RANK]}}\"\n"
             "export WORLD_SIZE={} LOCAL_WORLD_SIZE=${{#ranks[@]}}\n"
             "export MASTER_ADDR={} MASTER_PORT=${{MASTER_PORT:-{}}}\n"
             "for local_rank in \"${{!ranks[@]}}\"; do\n"
             "  RANK=${{ranks[local_rank]}} LOCAL_RANK=$local_rank bash -c "
             "\"$rank_script\" &\n"
             "done\n"
             "for ((ended = 0; ended < ${{#ranks[@]}}; ++ended)); do\n"
             "  wait -n || {{ status=$?; jobs -p | xargs -r kill || true; exit \"$status\"; }}\n"
             "done\n",
             hosts.of_rank.size(), core::shell_word(hosts.hosts.front()), kMasterPort);
}

std::vector<FillIn> kubernetes_places(const JobHosts& hosts, const LaunchProgram& program) {
  std::vector<FillIn> places{
      {"IMAGE", "container image with bash, PyTorch (torchrun) and the program's files"}};
  if (hosts.hosts.size() > 1)
    places.push_back(
        {std::string(kRdmaResource),
         "the RDMA resource of your device plugin (kubectl describe node | grep rdma)"});
  std::ranges::copy(program.fill_in, std::back_inserter(places));
  return places;
}

/// The pod template from "spec:" on, indented by `indent` spaces. MASTER_ADDR is a host name,
/// because pods use the host network, where the NICs are. The port prevents two pods of a job on
/// one host. NCCL needs /dev/shm between the ranks of a host, and locked memory for RDMA.
std::string pod_spec(const JobHosts& hosts, const LaunchProgram& program, int indent) {
  const bool has_network = hosts.hosts.size() > 1;
  const std::string rdma = has_network ? fmt::format(", {}: 1", kRdmaResource) : "";
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
             "{0:{1}}  volumes:\n"
             "{0:{1}}  - name: shm\n"
             "{0:{1}}    emptyDir: {{medium: Memory}}\n"
             "{0:{1}}  containers:\n"
             "{0:{1}}  - name: worker\n"
             "{0:{1}}    image: IMAGE\n"
             "{0:{1}}    env:\n"
             "{0:{1}}    - name: NODE_NAME\n"
             "{0:{1}}      valueFrom: {{fieldRef: {{fieldPath: spec.nodeName}}}}\n"
             "{0:{1}}    ports:\n"
             "{0:{1}}    - {{name: master, containerPort: {3}}}\n"
             "{0:{1}}    resources:\n"
             "{0:{1}}      limits: {{nvidia.com/gpu: {4}{5}}}\n"
             "{0:{1}}    securityContext: {{capabilities: {{add: [IPC_LOCK]}}}}\n"
             "{0:{1}}    volumeMounts:\n"
             "{0:{1}}    - {{name: shm, mountPath: /dev/shm}}\n"
             "{0:{1}}    command:\n"
             "{0:{1}}    - bash\n"
             "{0:{1}}    - -c\n"
             "{0:{1}}    - |\n",
             "", indent, joined(hosts.hosts), kMasterPort,
             *std::ranges::max_element(hosts.ranks_on), rdma) +
         indented(pod_script(hosts, program), static_cast<std::size_t>(indent) + 6);
}

}  // namespace

std::string pod_script(const JobHosts& hosts, const LaunchProgram& program) {
  std::string list;
  for (const std::string& host : hosts.hosts)
    list += (list.empty() ? "" : " ") + core::shell_word(host);
  std::string text = fmt::format(
      "set -euo pipefail\n"
      "hosts=({})  # in rank order\n"
      "NODE_RANK=-1\n"
      "for i in \"${{!hosts[@]}}\"; do\n"
      "  if [ \"${{hosts[i]}}\" = \"$NODE_NAME\" ]; then NODE_RANK=$i; fi\n"
      "done\n"
      "if [ \"$NODE_RANK\" -lt 0 ]; then echo \"no ranks on host $NODE_NAME\" >&2; exit 1; fi\n",
      list);
  text += device_order(hosts);
  text += rank_script_variable(program.preparation + program.command);
  if (!torchrun_nodes(hosts)) return text + ranks_one_by_one(hosts);
  return text + fmt::format(
                    "exec torchrun --nnodes={} --nproc-per-node={} --node-rank=\"$NODE_RANK\" "
                    "--master-addr={} --master-port=\"${{MASTER_PORT:-{}}}\" --no-python bash -c "
                    "\"$rank_script\"\n",
                    hosts.hosts.size(), hosts.ranks_on.front(),
                    core::shell_word(hosts.hosts.front()), kMasterPort);
}

std::string kueue_yaml(const JobHosts& hosts, const SwitchTree& tree,
                       const LaunchProgram& program) {
  const Ancestors above(tree);
  std::vector<FillIn> places{
      {"QUEUE",
       "LocalQueue of the namespace (kubectl get localqueues). Its ClusterQueue covers "
       "nvidia.com/gpu and the RDMA resource by the flavor railyard"}};
  std::ranges::move(kubernetes_places(hosts, program), std::back_inserter(places));
  std::string text = fill_in_comment(places) + "# Labels that the topology is read from:\n";
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
      "    kueue.x-k8s.io/queue-name: QUEUE\nspec:\n  suspend: true  # until Kueue admits it\n"
      "  backoffLimit: 0\n  completionMode: Indexed\n  completions: {1}\n"
      "  parallelism: {1}\n  template:\n    metadata:\n      annotations:\n",
      object_name(program.name), hosts.hosts.size());
  const std::size_t common = above.common_level(hosts.hosts);
  text += common < above.levels()
              ? fmt::format("        kueue.x-k8s.io/podset-required-topology: {}\n", label(common))
              : std::string("        kueue.x-k8s.io/podset-unconstrained-topology: \"true\"\n");
  return text + pod_spec(hosts, program, 4);
}

std::string volcano_yaml(const JobHosts& hosts, const SwitchTree& tree,
                         const LaunchProgram& program) {
  const Ancestors above(tree);
  std::map<std::string, std::size_t> tier;
  for (const auto& [host, switches] : above.all()) {
    for (std::size_t l = 0; l < switches.size(); ++l) tier[switches[l]] = l + 1;
  }
  std::string text = fill_in_comment(kubernetes_places(hosts, program));
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
      object_name(program.name), hosts.hosts.size());
  text += common < above.levels()
              ? fmt::format("  networkTopology:\n    mode: hard\n    highestTierAllowed: {}\n",
                            common + 1)
              : std::string("  networkTopology:\n    mode: soft\n");
  text += fmt::format("  tasks:\n  - name: worker\n    replicas: {}\n    template:\n",
                      hosts.hosts.size());
  return text + pod_spec(hosts, program, 6);
}

}  // namespace railyard::placement

#include "tests/placement/launch/kubernetes_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "placement/launch/kubernetes_files.hpp"
#include "placement/serving/emit/engine_files.hpp"
#include "tests/placement/mapping_cases.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::placement {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KubernetesSchema;

/// The files of training jobs: on one and on two leaf groups, on one host, and with host names
/// that YAML would read as numbers.
std::vector<std::string> training_files() {
  using namespace testing;
  const topology::Cluster cluster =
      topology::testing::small_cluster(topology::testing::leaf_spine(2), 6, 2);
  const topology::SwitchTree tree = topology::tree_of_cluster(cluster);
  const std::vector<std::string> numbers{"1", "2e3", "0x1f", "true", "no", "n5"};
  const LaunchProgram job{.name = "GPT3 175B", .command = "train \"a: b\" # {1}\nsync"};
  const std::vector<JobHosts> all{
      hosts_of(Mapping{{Rank(4), Rank(5), Rank(6), Rank(7)}}, cluster),
      hosts_of(Mapping{{Rank(0), Rank(11)}}, cluster), hosts_of(Mapping{{Rank(0)}}, cluster),
      hosts_of(Mapping{{Rank(0), Rank(2), Rank(4), Rank(6), Rank(8)}}, cluster, numbers)};
  std::vector<std::string> files;
  for (const JobHosts& hosts : all) {
    files.push_back(kueue_yaml(hosts, tree, job));
    files.push_back(volcano_yaml(hosts, tree, job));
  }
  return files;
}

/// The manifests of every engine, aggregated and as two pools, with and without speculation.
std::vector<std::string> serving_files() {
  using namespace serving;
  std::vector<std::string> files;
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm})
    for (const bool pools : {false, true})
      for (const char* draft : {"", "llama3_8b"}) {
        ServingOption option{.deployment = {.tp = 4, .engine = engine}, .replicas = 3};
        option.cached_share = pools ? 0 : 0.5;
        if (pools) option.prefill = Deployment{.tp = 2, .engine = engine};
        option.prefill_replicas = 5;
        for (const EngineFile& file : engine_files(option, "llama3_70b", draft, 8))
          if (file.name == "kubernetes.yaml" || file.name == "dynamo.yaml")
            files.push_back(file.text);
      }
  return files;
}

std::vector<std::string> all_files() {
  std::vector<std::string> files = training_files();
  for (std::string& file : serving_files()) files.push_back(std::move(file));
  return files;
}

TEST(KubernetesSchema, HoldsForEveryFileThatIsWritten) {
  const KubernetesSchema schema;
  const std::vector<std::string> files = all_files();
  EXPECT_EQ(files.size(), 8u + 24u);
  for (const std::string& file : files) EXPECT_THAT(schema.problems(file), IsEmpty()) << file;
}

/// Calls `change` with each map below a node.
void for_each_map(YAML::Node node, const std::function<void(YAML::Node)>& change) {
  if (node.IsMap()) change(node);
  for (const auto& child : node) {
    if (node.IsMap())
      for_each_map(child.second, change);
    else
      for_each_map(child, change);
  }
}

/// Changes the n-th field of the objects of a file; false where there are fewer.
bool change_field(std::vector<YAML::Node>& objects, std::size_t n,
                  const std::function<void(YAML::Node, const std::string&)>& change) {
  std::size_t fields = 0;
  for (YAML::Node& object : objects) {
    YAML::Node in;
    std::string name;
    for_each_map(object, [&](const YAML::Node& map) {
      for (const auto& entry : map) {
        if (fields++ != n) continue;
        in.reset(map);
        name = entry.first.Scalar();
      }
    });
    if (name.empty()) continue;
    change(in, name);
    return true;
  }
  return false;
}

// The check itself: a field with another name or a list in the place of a value is always found.
// Keys of free maps (labels, resources, services) may have any name.
TEST(KubernetesSchema, FindsEachRenamedFieldAndEachValueOfAnotherType) {
  const KubernetesSchema schema;
  for (const std::string& file :
       {training_files()[0], training_files()[1], serving_files()[0], serving_files()[1]}) {
    std::size_t n = 0, renamed = 0;
    for (;; ++n) {
      std::vector<YAML::Node> objects = YAML::LoadAll(file);
      const bool is_there = change_field(objects, n, [](YAML::Node map, const std::string& name) {
        map[name + "X"] = YAML::Clone(map[name]);
        map.remove(name);
      });
      if (!is_there) break;
      renamed += schema.problems(objects).empty() ? 0 : 1;
      objects = YAML::LoadAll(file);
      change_field(objects, n,
                   [](YAML::Node map, const std::string& name) { map[name] = YAML::Load("[[]]"); });
      EXPECT_FALSE(schema.problems(objects).empty()) << n << " of\n" << file;
    }
    EXPECT_GT(n, 15u);
    EXPECT_GE(renamed + 12, n) << "only keys of free maps may be renamed";
  }
}

TEST(KubernetesSchema, NamesTheFieldThatIsWrong) {
  const KubernetesSchema schema;
  const std::string start = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n";
  EXPECT_THAT(schema.problems(start + "  ports: [{port: 80}]\n"),
              ElementsAre("Service.spec.selector is missing"));
  EXPECT_THAT(schema.problems(start + "  selector: {app: 1}\n  ports: [{port: \"80\"}]\n"),
              ElementsAre("Service.spec.selector.app has a value of another type",
                          "Service.spec.ports[0].port is not int"));
  EXPECT_THAT(schema.problems(start + "  selector: {app: a}\n  ports: [{prot: 80}]\n"),
              Contains("Service.spec.ports[0].prot is not a field"));
  EXPECT_THAT(schema.problems(start + "  selector: {app: a}\n  ports: [{port: 80}]\n"),
              ElementsAre("Service: its selector selects no Deployment"));
  EXPECT_THAT(schema.problems("apiVersion: v2\nkind: Service\n"),
              ElementsAre("'v2 Service' is not an object of the schema"));
  EXPECT_THAT(schema.problems("a: [\n"), Contains(HasSubstr("line")));
}

}  // namespace
}  // namespace railyard::placement

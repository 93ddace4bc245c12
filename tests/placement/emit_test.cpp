#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <yaml-cpp/yaml.h>

#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/kubernetes_files.hpp"
#include "placement/launch/mpi_files.hpp"
#include "placement/launch/slurm_files.hpp"
#include "tests/placement/mapping_cases.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;
using topology::Cluster;
using namespace topology::testing;

/// Two nodes of two GPUs, the second node first.
JobHosts swapped_nodes() {
  const Cluster cluster = small_cluster(leaf_spine(2), 2, 2);
  return hosts_of(Mapping{{Rank(2), Rank(3), Rank(0), Rank(1)}}, cluster);
}

TEST(MpiFiles, ListHostsInRankOrder) {
  const JobHosts hosts = swapped_nodes();
  EXPECT_EQ(openmpi_hostfile(hosts), "node1 slots=2\nnode0 slots=2\n");
  EXPECT_EQ(openmpi_rankfile(hosts, 8, 2),
            "rank 0=node1 slot=0-3\nrank 1=node1 slot=4-7\nrank 2=node0 slot=0-3\nrank 3=node0 "
            "slot=4-7\n");
  EXPECT_EQ(torchrun_nodes(hosts), "node_rank\thost\n0\tnode1\n1\tnode0\n");
  EXPECT_FALSE(gpu_wrapper(hosts).has_value());
  EXPECT_THAT([&] { (void)openmpi_rankfile(hosts, 1, 2); },
              ThrowsMessage<InputError>(HasSubstr("1 cores are not enough for 2 GPUs")));
}

TEST(MpiFiles, SayWhatTorchrunCannotExpress) {
  // Ranks alternate between the nodes, and rank 2 has the lower GPU of node 0.
  const Cluster cluster = small_cluster(leaf_spine(2), 2, 2);
  const JobHosts hosts = hosts_of(Mapping{{Rank(1), Rank(2), Rank(0), Rank(3)}}, cluster);
  EXPECT_FALSE(torchrun_nodes(hosts).has_value());
  const auto wrapper = gpu_wrapper(hosts);
  ASSERT_TRUE(wrapper.has_value());
  // Node 0 has ranks 0 and 2 on its GPUs 1 and 0, node 1 ranks 1 and 3 on 0 and 1.
  EXPECT_THAT(*wrapper,
              AllOf(HasSubstr("gpus=(\"1,0\" \"0,1\")"), HasSubstr("kind_of_rank=(0 1 0 1)\n")));
  EXPECT_THAT(rank_table(hosts), HasSubstr("2\tnode0\t0\t1\n"));
}

TEST(MpiFiles, TakeTheUsersHostNames) {
  const Cluster cluster = small_cluster(leaf_spine(2), 2, 2);
  const std::vector<std::string> names{"a1", "b7"};
  EXPECT_EQ(openmpi_hostfile(hosts_of(Mapping{{Rank(2)}}, cluster, names)), "b7 slots=1\n");
  const std::vector<std::string> one{"a1"};
  EXPECT_THAT([&] { (void)hosts_of(Mapping{{Rank(2)}}, cluster, one); },
              ThrowsMessage<InputError>(HasSubstr("1 names for 2 nodes")));
}

TEST(SlurmFiles, KeepTheRankOrder) {
  const JobHosts hosts = swapped_nodes();
  EXPECT_EQ(slurm_hostfile(hosts), "node1\nnode1\nnode0\nnode0\n");
  const std::string script = slurm_script(hosts, {.command = "python train.py"});
  EXPECT_THAT(script,
              AllOf(HasSubstr("#SBATCH --nodes=2\n#SBATCH --ntasks=4\n"),
                    HasSubstr("#SBATCH --nodelist=node[0-1]\n"), HasSubstr("--exclusive\n"),
                    HasSubstr("node1 2\nnode0 2\nHOSTS\n"), HasSubstr("\npython train.py\n")));
}

TEST(KubernetesFiles, RequireTheLowestSwitchThatHoldsAllHosts) {
  const Cluster cluster = small_cluster(leaf_spine(2), 6, 1);
  const topology::SwitchTree tree = topology::tree_of_cluster(cluster);
  const LaunchProgram job{.name = "GPT3", .command = "x"};
  // Nodes 2 and 3 share a leaf; nodes 1 and 2 share only the spines.
  const JobHosts near = hosts_of(Mapping{{Rank(2), Rank(3)}}, cluster);
  const JobHosts far = hosts_of(Mapping{{Rank(1), Rank(2)}}, cluster);
  EXPECT_THAT(
      kueue_yaml(near, tree, job),
      AllOf(HasSubstr("podset-required-topology: railyard.dev/tier-1\n"), HasSubstr("name: gpt3\n"),
            HasSubstr("values: [node2, node3]"), HasSubstr("completions: 2\n")));
  EXPECT_THAT(kueue_yaml(far, tree, job),
              HasSubstr("podset-required-topology: railyard.dev/tier-2\n"));
  EXPECT_THAT(volcano_yaml(near, tree, job), HasSubstr("highestTierAllowed: 1\n"));
  EXPECT_THAT(volcano_yaml(far, tree, job),
              AllOf(HasSubstr("highestTierAllowed: 2\n"), HasSubstr("kind: HyperNode")));
}

/// The last document of a file: the job.
YAML::Node job_of(const std::string& yaml) { return YAML::LoadAll(yaml).back(); }

// Quotes, backslashes and several lines are the shell's, whatever YAML makes of them; a pod asks
// for the GPUs that the mapping has on a host, not for all of it.
TEST(KubernetesFiles, KeepTheCommandAndFindTheRankOfAHost) {
  const JobHosts hosts = hosts_of(Mapping{{Rank(2), Rank(0)}}, small_cluster(leaf_spine(2), 2, 2));
  const topology::SwitchTree tree = topology::tree_of_cluster(small_cluster(leaf_spine(2), 2, 2));
  const std::string command = "bash -c \"train --x \\\"a: b\\\"\" # {1}\nsync";
  const LaunchProgram job{.name = "j", .command = command};
  const YAML::Node kueue = job_of(kueue_yaml(hosts, tree, job))["spec"]["template"]["spec"],
                   volcano = job_of(
                       volcano_yaml(hosts, tree, job))["spec"]["tasks"][0]["template"]["spec"];
  for (const YAML::Node& pod : {kueue, volcano}) {
    const YAML::Node container = pod["containers"][0];
    EXPECT_EQ(container["resources"]["limits"]["nvidia.com/gpu"].as<int>(), 1);
    const auto script = container["command"][2].as<std::string>();
    EXPECT_THAT(script, AllOf(HasSubstr("hosts=(node1 node0)"), HasSubstr("--master-addr=node1 "),
                              HasSubstr(command + "\n")));
    EXPECT_EQ(container["env"][0]["valueFrom"]["fieldRef"]["fieldPath"].as<std::string>(),
              "spec.nodeName");
  }
}

// resourceflavor_types.go of Kueue: a flavor with a topology without a label is refused.
TEST(KubernetesFiles, GiveTheFlavorALabelThatNodesGet) {
  const Cluster cluster = small_cluster(leaf_spine(2), 2, 1);
  const std::string yaml = kueue_yaml(hosts_of(identity(2), cluster),
                                      topology::tree_of_cluster(cluster), LaunchProgram());
  const YAML::Node flavor = YAML::LoadAll(yaml)[1];
  ASSERT_EQ(flavor["kind"].as<std::string>(), "ResourceFlavor");
  const YAML::Node label = flavor["spec"]["nodeLabels"];
  ASSERT_EQ(label.size(), 1u);
  const auto first = *label.begin();
  EXPECT_THAT(yaml, HasSubstr(" " + first.first.as<std::string>() + "=" +
                              first.second.as<std::string>() + "\n"));
}

LaunchPlan gpt3() {
  return {.tp = 8,
          .pp = 16,
          .dp = 8,
          .interleave = 3,
          .layers = 96,
          .zero = 1,
          .sequence_parallel = true,
          .recompute = LaunchRecompute::selective,
          .micro_batch = 1,
          .global_batch = 1536,
          .sequence_length = 2048,
          .overlap_grad_reduce = true,
          .precision = "bf16"};
}

TEST(FrameworkArguments, AreReadBackAsTheyWereWritten) {
  std::string text = "torchrun --nnodes 128 pretrain_gpt.py  # GPT-3\n";
  for (const std::string& argument : megatron_arguments(gpt3())) text += "  " + argument + " \\\n";
  const MegatronArguments read = parse_megatron_arguments(text + "  --lr 1e-4\n", 1024);
  EXPECT_THAT(text, HasSubstr("--num-layers-per-virtual-pipeline-stage 2"));  // 96 / (16 x 3)
  EXPECT_EQ(megatron_arguments(read.plan), megatron_arguments(gpt3()));
  EXPECT_EQ(read.plan.dp, 8);
  EXPECT_EQ(read.plan.interleave, 3);
  EXPECT_THAT(read.ignored, ElementsAre("--nnodes", "--lr"));
}

TEST(FrameworkArguments, TakeEqualsSignsAndFullRecompute) {
  const MegatronArguments read = parse_megatron_arguments(
      "--tensor-model-parallel-size=2 --recompute-granularity 'full' --recompute-method block "
      "--recompute-num-layers 4 --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads",
      4);
  EXPECT_EQ(read.plan.tp, 2);
  EXPECT_EQ(read.plan.dp, 2);
  EXPECT_EQ(read.plan.recompute_layers, 4);
  EXPECT_EQ(read.plan.zero, 2);
}

TEST(FrameworkArguments, NameWhatIsWrongAndWhere) {
  const auto parse = [](const char* text, int gpus = 8) {
    return [=] { (void)parse_megatron_arguments(text, gpus, "run.sh"); };
  };
  EXPECT_THAT(
      parse("--bf16\n--tensor-model-parallel-size x"),
      ThrowsMessage<InputError>(HasSubstr("run.sh:line 2: --tensor-model-parallel-size must be a "
                                          "whole number of at least 1, not 'x'")));
  EXPECT_THAT(parse("--tensor-model-paralel-size 4"),
              ThrowsMessage<InputError>(HasSubstr("did you mean '--tensor-model-parallel-size'?")));
  EXPECT_THAT(parse("--micro-batch-size"), ThrowsMessage<InputError>(HasSubstr("needs a value")));
  EXPECT_THAT(parse("--tensor-model-parallel-size 3"),
              ThrowsMessage<InputError>(
                  HasSubstr("8 GPUs do not divide by tp x pp x cp = 3 (9 GPUs would fit)")));
  EXPECT_THAT(parse("--expert-model-parallel-size 3"),
              ThrowsMessage<InputError>(HasSubstr("3 does not divide dp x cp = 8")));
  EXPECT_THAT(
      parse("--global-batch-size 12"),
      ThrowsMessage<InputError>(HasSubstr("12 is not a multiple of dp x micro_batch = 8 x 1 (the "
                                          "nearest multiple is 16)")));
  EXPECT_THAT(parse("--bf16 'x"), ThrowsMessage<InputError>(HasSubstr("a quote is not closed")));
}

TEST(FrameworkArguments, WriteDeepSpeedAndTorchTitan) {
  // 1,536 sequences over 8 replicas of micro-batch 1: 192 steps of accumulation.
  EXPECT_THAT(deepspeed_config(gpt3()),
              AllOf(HasSubstr("\"gradient_accumulation_steps\": 192"), HasSubstr("\"stage\": 1"),
                    HasSubstr("\"bf16\": {\"enabled\": true}")));
  EXPECT_THAT(torchtitan_config(gpt3()),
              AllOf(HasSubstr("data_parallel_shard_degree = 8\n"),
                    HasSubstr("tensor_parallel_degree = 8\n"),
                    HasSubstr("pipeline_parallel_schedule = \"Interleaved1F1B\"\n"),
                    HasSubstr("local_batch_size = 192\n"), HasSubstr("mode = \"selective\"\n")));
}

}  // namespace
}  // namespace railyard::placement

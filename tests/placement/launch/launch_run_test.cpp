#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <yaml-cpp/yaml.h>

#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/kubernetes_files.hpp"
#include "placement/launch/mpi_files.hpp"
#include "placement/launch/slurm_files.hpp"
#include "tests/placement/launch/launched_ranks.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using apps::testing::run_in_shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LaunchRun : public ::testing::TestWithParam<LaunchCase> {
 protected:
  ScratchFolder folder_;
  JobHosts hosts_ = hosts_of_case(GetParam());
  LaunchProgram program_ = reporting_program(folder_);
};

std::string name_of(const ::testing::TestParamInfo<LaunchCase>& test) { return test.param.name; }
INSTANTIATE_TEST_SUITE_P(All, LaunchRun, ::testing::ValuesIn(launch_cases()), name_of);

TEST_P(LaunchRun, ScriptsAreCleanBash) {
  const std::vector<std::string> files{
      folder_.write("job.sbatch", slurm_script(hosts_, program_)),
      folder_.write("job.mpirun.sh", mpirun_script(hosts_, program_)),
      folder_.write("gpu.sh", gpu_wrapper(hosts_).value_or("#!/usr/bin/env bash\n")),
      folder_.write("pod.sh", "#!/usr/bin/env bash\n" + pod_script(hosts_, program_))};
  for (const std::string& file : files) {
    EXPECT_EQ(run_in_shell("bash -n " + file + " 2>&1").text, "");
    if (!has_program("shellcheck")) continue;
    EXPECT_EQ(run_in_shell("shellcheck --severity=info " + file + " 2>&1").text, "");
  }
  if (!has_program("shellcheck")) GTEST_SKIP() << "bash alone: shellcheck is not installed";
}

/// Starts the ranks of a pod as torchrun --no-python does.
constexpr const char* kTorchrun = R"(#!/usr/bin/env bash
set -eu
while [[ $1 == --* && $1 != --no-python ]]; do
  case $1 in
    --nnodes=*) nodes=${1#*=} ;;
    --nproc-per-node=*) each=${1#*=} ;;
    --node-rank=*) node=${1#*=} ;;
    --master-addr=*) export MASTER_ADDR=${1#*=} ;;
    --master-port=*) export MASTER_PORT=${1#*=} ;;
    *) echo "torchrun has no $1" >&2; exit 2 ;;
  esac
  shift
done
shift
export WORLD_SIZE=$((nodes * each)) LOCAL_WORLD_SIZE=$each
for ((i = 0; i < each; ++i)); do RANK=$((node * each + i)) LOCAL_RANK=$i "$@"; done
)";

// Kubernetes gives a pod any of the hosts: each finds its ranks by its name.
TEST_P(LaunchRun, PodsStartEveryRank) {
  (void)folder_.write("torchrun", kTorchrun);
  const std::string pod = folder_.write("pod.sh", pod_script(hosts_, program_));
  for (const std::string& host : hosts_.hosts)
    EXPECT_EQ(run_in_shell("PATH=" + folder_.path() + ":$PATH NODE_NAME=" + host + " bash " + pod +
                           " 2>&1")
                  .text,
              "");
  // The pod has the GPUs of its ranks alone, counted from 0.
  JobHosts inside = hosts_;
  const auto gpus = gpus_of_hosts(hosts_);
  for (int& gpu : inside.gpu)
    if (std::ranges::any_of(gpus, [](const auto& of) { return of.size() == 1; })) gpu = 0;
  if (GetParam().name == "unequal") inside.gpu = {0, 0, 1};
  expect_every_rank_in_its_place(inside, folder_);
}

TEST_P(LaunchRun, PodsElsewhereAndPodsThatFailEndWithAnError) {
  (void)folder_.write("torchrun", kTorchrun);
  std::string pod = folder_.write("pod.sh", pod_script(hosts_, program_));
  const auto elsewhere =
      run_in_shell("PATH=" + folder_.path() + ":$PATH NODE_NAME=other bash " + pod + " 2>&1");
  EXPECT_EQ(elsewhere.text, "no ranks on host other\n");
  EXPECT_EQ(elsewhere.code, 1);
  program_.command = "[ \"$RANK\" != 0 ] || exit 7";
  pod = folder_.write("pod.sh", pod_script(hosts_, program_));
  EXPECT_EQ(run_in_shell("PATH=" + folder_.path() + ":$PATH NODE_NAME=" + hosts_.hosts.front() +
                         " bash " + pod + " 2>&1")
                .code,
            7);
}

// mpirun reaches each host through an agent, which here starts the daemon on this machine.
TEST_P(LaunchRun, MpirunStartsEveryRank) {
  if (!has_program("mpirun")) GTEST_SKIP() << "mpirun is not installed";
  const std::string agent =
      folder_.write("agent",
                    // Daemons of two hosts on one machine would share the folder of their sessions.
                    "#!/usr/bin/env bash\nexport NODE_NAME=$1 TMPDIR=" + folder_.path() +
                        "/$1\nmkdir -p \"$TMPDIR\"\nshift\nexec bash -c \"$*\"\n");
  program_.command =
      "NODE_NAME=${OMPI_MCA_orte_ess_node_name:-${NODE_NAME:-}}\n" + program_.command;
  const std::string script = folder_.write("job.mpirun.sh", mpirun_script(hosts_, program_));
  const auto ended = run_in_shell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_plm_rsh_agent=" +
      agent + " timeout 60 bash " + script + " 2>&1");
  EXPECT_EQ(ended.code, 0) << ended.text;
  expect_every_rank_in_its_place(hosts_, folder_);
}

Job job_of(const std::string& model) {
  Job job;
  job.model = read_model(model);
  job.batch = 64;
  job.sequence = 4096;
  return job;
}

// The array of a script is what the framework gets: it is printed by bash, and read back.
TEST(LaunchProgram, GivesMegatronItsArguments) {
  const ScratchFolder folder;
  const Job job = job_of("qwen3_30b_a3b");
  const Strategy s{
      .tp = 2, .pp = 2, .dp = 4, .ep = 4, .zero = 1, .sequence_parallel = true, .layers = {20, 28}};
  const auto file = [&](Framework framework) { return framework_file(framework, job, s); };
  LaunchProgram program = launch_program(job, s, "", file);
  EXPECT_EQ(program.command, "python pretrain_gpt.py \"${MEGATRON_ARGS[@]}\" \"${TRAIN_ARGS[@]}\"");
  EXPECT_EQ(program.fill_in.size(), 1u);
  program.command =
      "printf '%q ' \"${MEGATRON_ARGS[@]}\"; echo; echo $CUDA_DEVICE_MAX_CONNECTIONS "
      "${TRAIN_ARGS[@]}";
  const std::string script = folder.write("rank.sh", program.preparation + program.command);
  const std::string text = run_in_shell("bash " + script).text;
  EXPECT_EQ(megatron_arguments(parse_megatron_arguments(text.substr(0, text.find('\n')), 16).plan),
            megatron_arguments(launch_plan(job, s)));
  EXPECT_THAT(text, HasSubstr("--rotary-base 1000000 "));
  EXPECT_THAT(text, HasSubstr("--qk-layernorm "));
  EXPECT_THAT(text, HasSubstr("\n1 --train-iters 100 --lr 1e-4 --mock-data --tokenizer-type "));
}

TEST(LaunchProgram, GivesOtherFrameworksTheirFiles) {
  const ScratchFolder folder;
  const Job job = job_of("llama3_8b");
  const Strategy s{.tp = 2, .dp = 4, .zero = 2};
  const auto file = [&](Framework framework) { return framework_file(framework, job, s); };
  const LaunchProgram program = launch_program(job, s, "cat $DEEPSPEED_CONFIG", file);
  EXPECT_THAT(program.fill_in, IsEmpty());
  const std::string script = folder.write("rank.sh", program.preparation + program.command);
  const std::string text = run_in_shell("bash " + script).text;
  EXPECT_EQ(text, framework_file(Framework::deepspeed, job, s));
  EXPECT_THAT(text, HasSubstr("\"tensor_parallel\": {\"autotp_size\": 2}"));
}

// What Megatron-LM cannot express is a place to fill in; asked for by name, it is an error.
TEST(LaunchProgram, AsksForACommandWhereMegatronHasNone) {
  const Job job = job_of("llama3_8b");
  const Strategy s{.pp = 2, .dp = 8, .schedule = PipelineSchedule::zero_bubble};
  const auto file = [&](Framework framework) { return framework_file(framework, job, s); };
  const LaunchProgram program = launch_program(job, s, "", file);
  EXPECT_EQ(program.command, "TRAIN_COMMAND");
  ASSERT_EQ(program.fill_in.size(), 1u);
  EXPECT_THAT(program.fill_in[0].what, HasSubstr("Megatron-LM has no argument for this pipeline"));
  EXPECT_THAT(slurm_script(hosts_of_case({"", {0, 1}}), program),
              HasSubstr("#   TRAIN_COMMAND: command that each rank runs"));
  EXPECT_THROW((void)launch_program(job, s, "x \"${MEGATRON_ARGS[@]}\"", file), InputError);
}

// The fields that Kubernetes needs to start ranks with GPUs, shared memory and RDMA.
TEST(KubernetesFiles, GivePodsWhatTheyNeed) {
  const auto cluster = topology::testing::small_cluster(topology::testing::leaf_spine(2), 2, 2);
  const topology::SwitchTree tree = topology::tree_of_cluster(cluster);
  const JobHosts hosts = hosts_of_case(launch_cases().front());
  const LaunchProgram program{.command = "train"};
  const std::string kueue = kueue_yaml(hosts, tree, program);
  EXPECT_THAT(kueue, ::testing::StartsWith("# Fill in before the start:\n#   QUEUE: "));
  const YAML::Node job = YAML::LoadAll(kueue).back();
  EXPECT_TRUE(job["spec"]["suspend"].as<bool>());
  for (const YAML::Node& pod :
       {job["spec"]["template"]["spec"], YAML::LoadAll(volcano_yaml(hosts, tree, program))
                                             .back()["spec"]["tasks"][0]["template"]["spec"]}) {
    const YAML::Node container = pod["containers"][0];
    EXPECT_EQ(pod["volumes"][0]["emptyDir"]["medium"].as<std::string>(), "Memory");
    EXPECT_EQ(container["volumeMounts"][0]["mountPath"].as<std::string>(), "/dev/shm");
    EXPECT_EQ(container["volumeMounts"][0]["name"].as<std::string>(),
              pod["volumes"][0]["name"].as<std::string>());
    EXPECT_EQ(container["resources"]["limits"]["rdma/rdma_shared_device_a"].as<int>(), 1);
    EXPECT_EQ(container["resources"]["limits"]["nvidia.com/gpu"].as<int>(), 2);
    EXPECT_EQ(container["command"].size(), 3u);
  }
  // A job on one host has no network to ask for.
  const JobHosts one = hosts_of_case({"", {0, 1}});
  EXPECT_EQ(kueue_yaml(one, tree, program).find("rdma/"), std::string::npos);
}

}  // namespace
}  // namespace railyard::placement

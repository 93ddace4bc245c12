#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "placement/launch/slurm_files.hpp"
#include "tests/free_port.hpp"
#include "tests/placement/launch/launched_ranks.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using apps::testing::run_in_shell;

/// A Slurm of its own on this machine, with two nodes of two GPUs (files in their place): munged,
/// slurmctld and two slurmd, which end with it.
class PrivateSlurm {
 public:
  PrivateSlurm() {
    const std::string& t = folder_.path();
    const int port = railyard::testing::free_port(3);
    const std::string host = first_line("hostname -s");
    const auto write = [&](const char* name, const std::string& text) {
      (void)folder_.write(name, text);
    };
    write(
        "slurm.conf",
        "ClusterName=railyard\nSlurmctldHost=" + host +
            "(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket=" +
            t + "/munge.sock\nCredType=cred/munge\nSlurmctldPort=" + std::to_string(port) +
            "\nStateSaveLocation=" + t + "/state\nSlurmdSpoolDir=" + t +
            "/spool-%n\nSlurmctldPidFile=" + t + "/ctld.pid\nSlurmdPidFile=" + t +
            "/slurmd-%n.pid\nSlurmctldLogFile=" + t + "/ctld.log\nSlurmdLogFile=" + t +
            "/slurmd-%n.log\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\n"
            "SwitchType=switch/none\nMpiDefault=none\nSelectType=select/cons_tres\n"
            "SelectTypeParameters=CR_CPU\nGresTypes=gpu\nReturnToService=2\n"
            "SlurmdParameters=config_overrides\nSchedulerParameters=sched_interval=1\n"
            "NodeName=node[0-1] NodeHostname=" +
            host + " NodeAddr=127.0.0.1 Port=[" + std::to_string(port + 1) + "-" +
            std::to_string(port + 2) +
            "] CPUs=4 RealMemory=500 Gres=gpu:2 State=UNKNOWN\n"
            "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n");
    write("gres.conf", "NodeName=node[0-1] Name=gpu File=" + t + "/gpu[0-1]\n");
    write("gpu0", "");
    write("gpu1", "");
    const std::string conf = "SLURM_CONF=" + t + "/slurm.conf ";
    run_in_shell("cd " + t +
                 " && mkdir state spool-node0 spool-node1 && head -c 128 /dev/urandom > key && "
                 "chmod 600 key && chmod 755 . && munged --force --key-file=" +
                 t + "/key --socket=" + t + "/munge.sock --pid-file=" + t +
                 "/munged.pid --log-file=" + t + "/munged.log --seed-file=" + t +
                 "/seed > start.log 2>&1 && " + conf + "slurmctld >> start.log 2>&1 && " + conf +
                 "slurmd -N node0 >> start.log 2>&1 && " + conf +
                 "slurmd -N node1 >> start.log 2>&1");
  }
  ~PrivateSlurm() {
    for (const char* pid : {"slurmd-node0.pid", "slurmd-node1.pid", "ctld.pid", "munged.pid"})
      run_in_shell("cd " + folder_.path() + " && [ -s " + pid + " ] && kill \"$(cat " + pid +
                   ")\"");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;

  [[nodiscard]] std::string run(const std::string& command) const {
    return run_in_shell("cd " + folder_.path() + " && SLURM_CONF=" + folder_.path() +
                        "/slurm.conf " + command + " 2>&1")
        .text;
  }
  /// Whether both nodes became idle within 20 s.
  [[nodiscard]] bool is_up() const {
    for (int i = 0; i < 40; ++i) {
      if (run("sinfo -h -t idle -o %D").starts_with("2")) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    return false;
  }
  /// Until the queue is empty, at most 60 s (sbatch --wait looks every few seconds).
  void wait_for_jobs() const {
    for (int i = 0; i < 300 && !run("squeue -h").empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  [[nodiscard]] const ScratchFolder& folder() const { return folder_; }

 private:
  static std::string first_line(const std::string& command) {
    const std::string text = run_in_shell(command).text;
    return text.substr(0, text.find('\n'));
  }
  ScratchFolder folder_;
};

TEST(SlurmRun, TheBatchScriptStartsEveryRankInItsPlace) {
  if (geteuid() != 0) GTEST_SKIP() << "a Slurm of its own needs root";
  for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"})
    if (!has_program(program)) GTEST_SKIP() << program << " is not installed (slurm-wlm, munge)";
  const PrivateSlurm slurm;
  if (!slurm.is_up())
    GTEST_SKIP() << "Slurm does not start here: " << slurm.run("cat start.log; tail -n 5 *.log");
  for (const LaunchCase& c : launch_cases()) {
    const JobHosts hosts = hosts_of_case(c);
    const ScratchFolder ranks;
    (void)slurm.folder().write("job.sbatch", slurm_script(hosts, reporting_program(ranks)));
    // The script's own lines ask for time, nodes, GPUs and exclusive use.
    const std::string text = slurm.run("sbatch job.sbatch");
    slurm.wait_for_jobs();
    SCOPED_TRACE(c.name + ": " + text + slurm.run("cat railyard-test-*.out"));
    expect_every_rank_in_its_place(hosts, ranks);
    EXPECT_NE(slurm.run("scontrol show job").find("TimeLimit=1-00:00:00"), std::string::npos);
  }
}

}  // namespace
}  // namespace railyard::placement

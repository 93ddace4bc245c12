#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/probe/probe_run.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples =
    "Writes a cluster file of the machine it runs on: sockets, PCIe and NICs as the kernel "
    "describes\n"
    "them, GPUs and NVLinks as the NVIDIA driver does (NVML, loaded at run time). Without a GPU "
    "the "
    "ranks\n"
    "are threads or processes on the cores, with the rate at which the cores copy memory together, "
    "which\n"
    "is measured. The node's file goes beside the cluster file.\n"
    "\n"
    "The fabric cannot be seen from a node: say what joins the nodes (--nodes, --fabric), or read "
    "it "
    "from\n"
    "ibnetdiscover or Slurm (--fabric-file). What had to be assumed is said on standard error.\n"
    "\n"
    "Under mpirun or srun every host is described, once, and all of them are one cluster file; in "
    "what they\n"
    "differ is said.\n"
    "\n"
    "Examples:\n"
    "  mpirun --hostfile hosts --map-by node railyard-cluster probe --port-bandwidth '100 Gb/s' -o "
    "cluster.json\n"
    "  railyard probe -o cluster.json && railyard topo check cluster.json\n"
    "  railyard probe --nodes 4 --fabric rail_clos --tiers 2 -o cluster.json\n"
    "  railyard probe --fabric-file fabric.ibnet -o cluster.json\n"
    "  railyard probe --ranks 8 -o host.json && railyard bench --gpus 8 --predict host.json";

}  // namespace

RunCommand add_probe(CLI::App& app) {
  const auto flags = std::make_shared<ProbeFlags>();
  app.add_option("-o,--output", flags->output,
                 "cluster file to write; the node's file goes beside it")
      ->required()
      ->type_name("FILE");
  app.add_option("--nodes", flags->nodes,
                 "how many such nodes there are [1; under a launcher the hosts that it started]")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--ranks", flags->ranks,
                 "without a GPU: ranks of a node [one per core; as many as were launched there]")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--memory-rate", flags->memory_rate,
                 "without a GPU: what all cores copy together, such as \"20 GB/s\", instead of "
                 "measuring it")
      ->type_name("RATE");
  app.add_option("--nic-rate", flags->nic_rate,
                 "of NICs that do not say theirs: '100 Gb/s' [10 Gb/s, as NCCL takes it]")
      ->type_name("RATE");
  app.add_option("--nccl-dump", flags->nccl_dump,
                 "have NCCL describe the GPUs (NCCL_TOPO_DUMP_FILE): auto, where it can; yes, or "
                 "fail; no")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  app.add_option("--timeout", flags->timeout, "for NCCL and for other processes to answer")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--nccl-xml", flags->nccl_xml,
                 "node as NCCL wrote it (NCCL_TOPO_DUMP_FILE), instead of what is found here")
      ->type_name("FILE");
  app.add_option("--fabric-file", flags->fabric_file,
                 "ibnetdiscover or Slurm's topology.conf or .yaml that joins such nodes")
      ->type_name("FILE");
  app.add_option("--libraries", flags->libraries,
                 "folder of libnvidia-ml.so.1, libnccl.so.2 and libcudart.so.N")
      ->type_name("DIR");
  app.add_option("--root", flags->root, "folder that holds sys/ and proc/, such as a copy of them")
      ->type_name("DIR")
      ->capture_default_str();
  flags->fabric.transport = "auto";
  add_import_fabric_flags(app, flags->fabric);
  app.footer(kExamples);
  return [flags](Context& context) { return run_probe(*flags, context); };
}

}  // namespace railyard::apps

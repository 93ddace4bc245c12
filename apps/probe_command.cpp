#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <memory>

#include "apps/commands.hpp"
#include "apps/probe_run.hpp"

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
    "Examples:\n"
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
  app.add_option("--nodes", flags->nodes, "how many such nodes there are")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.add_option("--ranks", flags->ranks, "without a GPU: ranks of a node [one per core]")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--memory-rate", flags->memory_rate,
                 "without a GPU: what all cores copy together, such as \"20 GB/s\", instead of "
                 "measuring it")
      ->type_name("RATE");
  app.add_option("--nccl-xml", flags->nccl_xml,
                 "node as NCCL wrote it (NCCL_TOPO_DUMP_FILE), instead of what is found here")
      ->type_name("FILE");
  app.add_option("--fabric-file", flags->fabric_file,
                 "ibnetdiscover or Slurm's topology.conf or .yaml that joins such nodes")
      ->type_name("FILE");
  app.add_option("--libraries", flags->libraries, "folder of libnvidia-ml.so.1")->type_name("DIR");
  app.add_option("--root", flags->root, "folder that holds sys/ and proc/, such as a copy of them")
      ->type_name("DIR")
      ->capture_default_str();
  flags->fabric.transport = "auto";
  add_import_fabric_flags(app, flags->fabric);
  app.footer(kExamples);
  return [flags](Context& context) { return run_probe(*flags, context); };
}

}  // namespace railyard::apps

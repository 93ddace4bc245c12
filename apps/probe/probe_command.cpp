
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/probe/probe_run.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Writes a cluster file of this machine: sockets, PCIe and NICs from the kernel, GPUs and NVLinks from
the NVIDIA driver (NVML, loaded at run time). Without a GPU the ranks are threads or processes on the
cores, with the measured rate at which the cores copy memory together.

A node cannot see the fabric. Describe it with --nodes and --fabric, or read it from ibnetdiscover or
Slurm with --fabric-file. Every assumption is printed as a note on standard error.

Under mpirun or srun one process per host describes it, and the cluster file contains all hosts.
Differences between hosts are printed as notes.

Examples:
  mpirun --hostfile hosts --map-by node railyard-cluster probe --port-bandwidth '100 Gb/s' -o cluster.json
  railyard probe -o cluster.json && railyard topo check cluster.json
  railyard probe --nodes 4 --fabric rail_clos --tiers 2 -o cluster.json
  railyard probe --fabric-file fabric.ibnet -o cluster.json
  railyard probe --ranks 8 -o host.json && railyard bench --gpus 8 --predict host.json)";

}  // namespace

RunCommand add_probe(FlagSet app) {
  const auto flags = std::make_shared<ProbeFlags>();
  app.add_option("-o,--output", flags->output,
                 "Cluster file to write; the file of the node is written beside it")
      .required()
      .type_name("FILE");
  app.add_option("--nodes", flags->nodes,
                 "Number of nodes like this machine [1; under mpirun or srun the number of hosts]")
      .type_name("N")
      .check(in_range(1, 1 << 24));
  app.add_option("--ranks", flags->ranks,
                 "Without a GPU: number of ranks per node [one per core; under mpirun or srun the "
                 "processes on the host]")
      .type_name("N")
      .check(in_range(1, 1024));
  app.add_option("--memory-rate", flags->memory_rate,
                 "Without a GPU: rate at which all cores together copy memory, such as '20 GB/s' "
                 "[measured]")
      .type_name("RATE");
  app.add_option(
         "--nic-rate", flags->nic_rate,
         "Rate of NICs that do not report one, such as '100 Gb/s' [10 Gb/s, which NCCL assumes]")
      .type_name("RATE");
  app.add_option("--nccl-dump", flags->nccl_dump,
                 "Let NCCL describe the GPUs (NCCL_TOPO_DUMP_FILE): auto (if NCCL is available), "
                 "yes (an error if it is not) or no [auto]")
      .type_name("WHEN")
      .check(one_of({"auto", "yes", "no"}));
  app.add_option("--timeout", flags->timeout,
                 "Time limit for answers from NCCL and from other processes [60 s]")
      .type_name("TIME");
  app.add_option("--nccl-xml", flags->nccl_xml,
                 "Read the node from a topology file that NCCL wrote (NCCL_TOPO_DUMP_FILE), not "
                 "from this machine")
      .type_name("FILE");
  app.add_option("--fabric-file", flags->fabric_file,
                 "Fabric that connects the nodes: output of ibnetdiscover, or Slurm's "
                 "topology.conf or topology.yaml")
      .type_name("FILE");
  app.add_option(
         "--libraries", flags->libraries,
         "Folder of libnvidia-ml.so.1, libnccl.so.2 and libcudart.so.N [the loader's search path]")
      .type_name("DIR");
  app.add_option("--root", flags->root,
                 "Folder that contains sys/ and proc/, for example copies from another machine [/]")
      .type_name("DIR");
  flags->fabric.transport = "auto";
  add_import_fabric_flags(app, flags->fabric);
  app.footer(kExamples);
  return [flags](Context& context) { return run_probe(*flags, context); };
}

}  // namespace railyard::apps

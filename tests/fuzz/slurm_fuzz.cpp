// Slurm's topology.conf and topology.yaml (told apart as by their first key): any bytes are a tree
// or an InputError; a tree is written and read back to the same text in both forms.
#include <cstdint>
#include <cstdlib>

#include "core/diagnostic.hpp"
#include "topology/formats/slurm_topology.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  using namespace railyard::topology;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  SwitchTree tree;
  try {
    const bool yaml = text.find("- topology") != std::string_view::npos;
    tree = (yaml ? read_slurm_yaml(text, "fuzz") : read_slurm_conf(text, "fuzz")).tree;
  } catch (const InputError&) {
    return 0;
  }
  (void)fabric_of_tree(tree, 2, Bandwidth::gigabits_per_second(100));
  const std::string conf = write_slurm_conf(tree), yaml = write_slurm_yaml(tree, "fuzz");
  if (write_slurm_conf(read_slurm_conf(conf, "fuzz").tree) != conf) std::abort();
  if (write_slurm_yaml(read_slurm_yaml(yaml, "fuzz").tree, "fuzz") != yaml) std::abort();
  return 0;
}

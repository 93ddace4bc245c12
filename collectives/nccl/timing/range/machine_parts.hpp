#pragma once

#include <string>
#include <vector>

#include "core/config/enum_names.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/node/node_spec.hpp"

/// The parts of a machine that a predicted time depends on, and whether each was measured.
namespace railyard::collectives::nccl {

/// What is predicted: a collective, or a training step.
enum class RangeOf { collective, step };

enum class PartKind { gpu, nvlink, pcie_host, fabric };

/// The evidence for a part, best first. measured: a table was measured on it. relative: a table was
/// measured on another part of its family (GPU generation, kind of NVLink or kind of fabric).
/// nominal: neither; its times are from data sheets and NCCL's constants.
enum class Evidence { measured, relative, nominal };

/// A part of a machine: "H100-SXM5-80GB" of the family "hopper".
struct MachinePart {
  PartKind kind = PartKind::gpu;
  std::string name{}, family{};
  bool operator==(const MachinePart&) const = default;
};

/// A part on which tables of collectives or steps were measured.
struct MeasuredPart {
  RangeOf of = RangeOf::collective;
  PartKind part = PartKind::gpu;
  std::string name{}, family{};
  std::vector<std::string> tables{};
};

/// Adds `table` to the tables of a part. Adds the part if it is not in `parts`.
void add_measured(std::vector<MeasuredPart>& parts, RangeOf of, const MachinePart& part,
                  const std::string& table);

/// The parts that a collective uses: GPU; NVLink, or the PCIe host if the GPUs communicate over
/// PCIe; with several nodes the fabric with its NICs.
struct MachineUse {
  bool meets_over_nvlink = true;
  bool several_nodes = false;
};
[[nodiscard]] std::vector<MachinePart> machine_parts(const topology::NodeSpec& node,
                                                     const topology::Timings& timings,
                                                     const MachineUse& use);

/// A part and the evidence for it.
struct PartEvidence {
  MachinePart part{};
  Evidence evidence = Evidence::nominal;
  std::string basis{};  ///< "6 tables"; for relative evidence the measured part: "H100-SXM5-80GB"
};
/// The evidence for a part in `measured`, from tables of kind `of` except the table `without` ("":
/// none).
[[nodiscard]] PartEvidence evidence_for(const MachinePart& part,
                                        const std::vector<MeasuredPart>& measured, RangeOf of,
                                        const std::string& without = {});

/// "gpu H100-SXM5-80GB: measured (6 tables)".
[[nodiscard]] std::string to_text(const PartEvidence& evidence);

}  // namespace railyard::collectives::nccl

template <>
struct railyard::core::EnumNames<railyard::collectives::nccl::PartKind> {
  using enum railyard::collectives::nccl::PartKind;
  static constexpr std::array<std::pair<railyard::collectives::nccl::PartKind, std::string_view>, 4>
      table{{{gpu, "gpu"}, {nvlink, "nvlink"}, {pcie_host, "pcie_host"}, {fabric, "fabric"}}};
};

template <>
struct railyard::core::EnumNames<railyard::collectives::nccl::Evidence> {
  using enum railyard::collectives::nccl::Evidence;
  static constexpr std::array<std::pair<railyard::collectives::nccl::Evidence, std::string_view>, 3>
      table{{{measured, "measured"}, {relative, "relative"}, {nominal, "nominal"}}};
};

template <>
struct railyard::core::EnumNames<railyard::collectives::nccl::RangeOf> {
  using enum railyard::collectives::nccl::RangeOf;
  static constexpr std::array<std::pair<railyard::collectives::nccl::RangeOf, std::string_view>, 2>
      table{{{collective, "collective"}, {step, "step"}}};
};

#include "topology/node/path_type.hpp"

#include <array>

namespace railyard::topology {
namespace {

// NCCL's own names (src/graph/topo.cc, topoPathTypeStr).
constexpr std::array<std::string_view, 12> kPathTypes{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                                      "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};

}  // namespace

std::string_view to_text(PathType type) { return kPathTypes[static_cast<std::size_t>(type)]; }

}  // namespace railyard::topology

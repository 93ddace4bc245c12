#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedule/reducers.hpp"

namespace railyard::collectives {

/// Empty if the NVSwitch of every node can reduce the data type and operation of the request; else
/// the reason.
[[nodiscard]] std::string why_not_nvls(const Request& request);

/// Appends a step with these edges; does nothing if there are none.
void add_step(std::vector<Step>& steps, std::vector<Edge> edges, Action action);

/// Edges by which every rank sends its chunk to the NVSwitch of its node, which reduces the chunks.
[[nodiscard]] std::vector<Edge> into_nvswitches(const Request& request, Reducers& reducers);
/// Edges by which the NVSwitch of every node sends a chunk to all ranks of the node (multicast).
[[nodiscard]] std::vector<Edge> out_of_nvswitches(const Request& request, Reducers& reducers);

}  // namespace railyard::collectives

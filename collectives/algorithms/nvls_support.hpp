#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedule/reducers.hpp"

namespace railyard::collectives {

/// Empty if the NVSwitch of every node can reduce the request's type and operation, else why not.
[[nodiscard]] std::string why_not_nvls(const Request& request);

/// A step of the edges given (none: no step).
void add_step(std::vector<Step>& steps, std::vector<Edge> edges, Action action);

/// Every rank hands its chunk to the NVSwitch of its node, which reduces them.
[[nodiscard]] std::vector<Edge> into_nvswitches(const Request& request, Reducers& reducers);
/// The NVSwitch of every node stores the chunk to all ranks of the node (multicast).
[[nodiscard]] std::vector<Edge> out_of_nvswitches(const Request& request, Reducers& reducers);

}  // namespace railyard::collectives

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Reads a switch: a name in configs/switches, or a path. Throws InputError with every problem, and
/// at `referring_file` and `pointer` if there is no such file.
[[nodiscard]] SwitchModel read_switch_model(const std::string& reference,
                                            const std::string& referring_file = {},
                                            std::string_view pointer = {});

/// Reads the switches that a fabric names into FabricSpec::models: the spines' is by default the
/// leaves', and the cores' the spines'. Adds every problem to `problems`.
void read_switch_models(FabricSpec& fabric, const std::string& file,
                        std::vector<Diagnostic>& problems);

/// The protocol of the switches of a transport.
[[nodiscard]] SwitchProtocol protocol_of(Transport transport);

/// The shipped fixed switch with the most ports of a speed; of those with equally many the slowest.
/// Throws InputError if no shipped switch has the speed.
[[nodiscard]] SwitchModel largest_switch(SwitchProtocol protocol, Bandwidth speed);

}  // namespace railyard::topology

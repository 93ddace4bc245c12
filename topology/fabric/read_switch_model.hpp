#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Reads a switch model: a name in configs/switches, or a path. Throws InputError with all problems
/// in the file; if the file does not exist, the error is at `pointer` of `referring_file`.
[[nodiscard]] SwitchModel read_switch_model(const std::string& reference,
                                            const std::string& referring_file = {},
                                            std::string_view pointer = {});

/// Reads the switch models that a fabric names into FabricSpec::models. Spines default to the model
/// of the leaves, cores to that of the spines. Appends all problems to `problems`.
void read_switch_models(FabricSpec& fabric, const std::string& file,
                        std::vector<Diagnostic>& problems);

/// The link-layer protocol of the switches of a transport.
[[nodiscard]] SwitchProtocol protocol_of(Transport transport);

/// The shipped fixed switch with the most ports at a speed; on ties, the one with the slowest
/// maximum speed. Throws InputError if no shipped switch supports the speed.
[[nodiscard]] SwitchModel largest_switch(SwitchProtocol protocol, Bandwidth speed);

}  // namespace railyard::topology

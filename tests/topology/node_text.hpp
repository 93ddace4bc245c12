#pragma once

#include <string>
#include <string_view>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// A node, a line per device and link, for comparing specs: everything but name and source.
[[nodiscard]] std::string node_text(const NodeSpec& node);

/// A file of tests/topology/fixtures.
[[nodiscard]] std::string fixture(std::string_view name);

}  // namespace railyard::topology

#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace railyard::topology {

enum class IbNodeKind { network_switch, adapter, router };

/// A block of ibnetdiscover's output: one switch, adapter or router.
struct IbNode {
  IbNodeKind kind{};
  std::string guid;         ///< hexadecimal digits in lower case
  std::string description;  ///< "MF0;leaf1:MQM8700/U1", "host1 mlx5_0"
  int line = 0;
};

/// A port of a node.
struct IbEnd {
  std::string guid;
  int port = 0;
  friend auto operator<=>(const IbEnd&, const IbEnd&) = default;
};

/// A cable, with a < b. The text lists it at one or both ends.
struct IbWire {
  IbEnd a, b;
  Bandwidth bandwidth;  ///< zero if neither end gives a rate
};

/// The devices and cables of the text, before the fabric is derived from them.
struct IbBlocks {
  std::map<std::string, IbNode> nodes;  ///< by guid
  std::vector<IbWire> wires;
  int without_rate = 0;
};

/// Reads ibnetdiscover's output. Throws InputError with every problem and its line.
[[nodiscard]] IbBlocks read_ib_blocks(std::string_view text, const std::string& file);

}  // namespace railyard::topology

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace railyard::collectives {

/// NodeType of Chakra's schema 0.0.4.
enum class ChakraType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective
};

/// CollectiveCommType of Chakra's schema 0.0.4.
enum class ChakraCollective : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier
};

/// A node of an execution trace, with the attributes that simulators read. A missing attribute is
/// negative or empty.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name{};
  std::uint64_t type = 0;                     ///< a ChakraType, or a larger number
  std::vector<std::uint64_t> dependencies{};  ///< ctrl_deps and data_deps: ids
  std::uint64_t duration_us = 0;
  std::int64_t comm_type = -1;
  std::int64_t comm_size = -1;  ///< input bytes per rank
  std::int64_t source = -1, destination = -1, tag = -1;
  std::int64_t operations = -1;   ///< num_ops
  std::int64_t tensor_size = -1;  ///< bytes
  std::int64_t root = -1;
  std::string group{};                ///< pg_name
  std::vector<bool> involved_dims{};  ///< involved_dim
  bool runs_on_cpu = false;           ///< is_cpu_op
};

/// The trace of one rank.
struct ChakraTrace {
  std::string version;
  std::vector<ChakraNode> nodes;
  /// Attributes that are not read, with the number of nodes that have them.
  std::map<std::string, std::uint64_t> unread_attributes;
};

/// Reads a Chakra execution trace: protobuf messages, each preceded by its length. Throws
/// InputError with the file and the number of the message for a length beyond the end, a wrong wire
/// type, a duplicate id, or more than 50 million nodes or dependencies.
[[nodiscard]] ChakraTrace read_chakra(std::string_view bytes, const std::string& file);

/// The bytes of a trace, in the schema 0.0.4. Reading them gives the same trace.
[[nodiscard]] std::string write_chakra(const ChakraTrace& trace);

}  // namespace railyard::collectives

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/config/enum_names.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// The kinds of collectives. send_recv is nccl-tests' sendrecv: every rank sends its buffer to the
/// next rank and receives from the previous one.
enum class Kind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  send_recv
};

/// NCCL's data types (ncclDataType_t). Its float8 types need NCCL 2.24 and Hopper.
enum class DataType : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float8_e4m3,
  float8_e5m2,
  float16,
  bfloat16,
  float32,
  float64
};
/// Reduction operations. avg divides the sum by the number of ranks, as ncclAvg; integers are
/// rounded towards zero.
enum class ReduceOp : std::uint8_t { sum, prod, min, max, avg };
/// NCCL's protocols. They differ in wire bytes per data byte (bytes_per_data_byte) and in latency
/// per step.
enum class Protocol : std::uint8_t { ll, ll128, simple };

[[nodiscard]] std::string_view to_text(Kind kind);
[[nodiscard]] std::string_view to_text(DataType type);
[[nodiscard]] std::string_view to_text(ReduceOp op);
[[nodiscard]] std::string_view to_text(Protocol protocol);
[[nodiscard]] std::optional<Kind> kind_from(std::string_view text);
[[nodiscard]] std::optional<DataType> data_type_from(std::string_view text);
[[nodiscard]] std::optional<ReduceOp> reduce_op_from(std::string_view text);
[[nodiscard]] std::optional<Protocol> protocol_from(std::string_view text);
[[nodiscard]] Bytes size_of(DataType type);
/// Whether the type is a floating-point type (of 8, 16, 32 or 64 bits).
[[nodiscard]] bool is_float(DataType type);

/// A collective over a group of n ranks. `bytes` is the size as nccl-tests defines it: the buffer
/// of one rank for all_reduce, broadcast, reduce and send_recv; the total of n blocks for
/// all_gather (received), reduce_scatter (sent) and all_to_all (sent, including the rank's own
/// block).
struct Collective {
  Kind kind = Kind::all_reduce;
  Bytes bytes;
  DataType type = DataType::float32;
  ReduceOp op = ReduceOp::sum;
  std::uint32_t root = 0;  ///< position in the group: broadcast, reduce
};

/// Whether the collective uses ReduceOp: all_reduce, reduce_scatter, reduce.
[[nodiscard]] bool is_reduction(Kind kind);

/// Algorithm bandwidth (bytes / time) and bus bandwidth, both in GB/s of 1e9 B/s. Bus bandwidth is
/// the algorithm bandwidth times the factor of nccl-tests: 2(n-1)/n for all_reduce; (n-1)/n for
/// all_gather, reduce_scatter and all_to_all; otherwise 1. Both are 0 if the time is zero.
[[nodiscard]] double algbw_GBps(const Collective& collective, Time time);
[[nodiscard]] double busbw_GBps(const Collective& collective, std::uint32_t ranks, Time time);

}  // namespace railyard::collectives

template <>
struct railyard::core::EnumNames<railyard::collectives::Kind> {
  using enum railyard::collectives::Kind;
  static constexpr std::array<std::pair<railyard::collectives::Kind, std::string_view>, 7> table{
      {{all_reduce, "all_reduce"},
       {all_gather, "all_gather"},
       {reduce_scatter, "reduce_scatter"},
       {broadcast, "broadcast"},
       {reduce, "reduce"},
       {all_to_all, "all_to_all"},
       {send_recv, "send_recv"}}};
};

template <>
struct railyard::core::EnumNames<railyard::collectives::DataType> {
  using enum railyard::collectives::DataType;
  static constexpr std::array<std::pair<railyard::collectives::DataType, std::string_view>, 12>
      table{{{int8, "int8"},
             {uint8, "uint8"},
             {int32, "int32"},
             {uint32, "uint32"},
             {int64, "int64"},
             {uint64, "uint64"},
             {float8_e4m3, "float8_e4m3"},
             {float8_e5m2, "float8_e5m2"},
             {float16, "float16"},
             {bfloat16, "bfloat16"},
             {float32, "float32"},
             {float64, "float64"}}};
};

template <>
struct railyard::core::EnumNames<railyard::collectives::ReduceOp> {
  using enum railyard::collectives::ReduceOp;
  static constexpr std::array<std::pair<railyard::collectives::ReduceOp, std::string_view>, 5>
      table{{{sum, "sum"}, {prod, "prod"}, {min, "min"}, {max, "max"}, {avg, "avg"}}};
};

template <>
struct railyard::core::EnumNames<railyard::collectives::Protocol> {
  using enum railyard::collectives::Protocol;
  static constexpr std::array<std::pair<railyard::collectives::Protocol, std::string_view>, 3>
      table{{{ll, "ll"}, {ll128, "ll128"}, {simple, "simple"}}};
};

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {
namespace {

/// busbw / algbw (nccl-tests, doc/PERFORMANCE.md).
double busbw_factor(Kind kind, double ranks) {
  switch (kind) {
    case Kind::all_reduce: return 2.0 * (ranks - 1.0) / ranks;
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::all_to_all: return (ranks - 1.0) / ranks;
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::send_recv: break;
  }
  return 1.0;
}

}  // namespace

std::string_view to_text(Kind kind) { return core::enum_name(kind); }
std::string_view to_text(DataType type) { return core::enum_name(type); }
std::string_view to_text(ReduceOp op) { return core::enum_name(op); }
std::string_view to_text(Protocol protocol) { return core::enum_name(protocol); }

std::optional<Kind> kind_from(std::string_view text) { return core::parse_enum<Kind>(text).value; }
std::optional<DataType> data_type_from(std::string_view text) {
  return core::parse_enum<DataType>(text).value;
}
std::optional<ReduceOp> reduce_op_from(std::string_view text) {
  return core::parse_enum<ReduceOp>(text).value;
}
std::optional<Protocol> protocol_from(std::string_view text) {
  return core::parse_enum<Protocol>(text).value;
}

Bytes size_of(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2: return Bytes(1);
    case DataType::float16:
    case DataType::bfloat16: return Bytes(2);
    case DataType::int32:
    case DataType::uint32:
    case DataType::float32: return Bytes(4);
    case DataType::int64:
    case DataType::uint64:
    case DataType::float64: break;
  }
  return Bytes(8);
}

bool is_float(DataType type) {
  using enum DataType;
  switch (type) {
    case int8:
    case uint8:
    case int32:
    case uint32:
    case int64:
    case uint64: return false;
    case float8_e4m3:
    case float8_e5m2:
    case float16:
    case bfloat16:
    case float32:
    case float64: break;
  }
  return true;
}

bool is_reduction(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::reduce;
}

double algbw_GBps(const Collective& collective, Time time) {
  if (time <= Time()) return 0;
  return collective.bytes.gigabytes() / time.seconds();
}

double busbw_GBps(const Collective& collective, std::uint32_t ranks, Time time) {
  return algbw_GBps(collective, time) * busbw_factor(collective.kind, ranks);
}

}  // namespace railyard::collectives

#include "hw/mpi/datatypes.hpp"

#include <cassert>

#include "hw/local/reduction.hpp"

namespace railyard::hw::mpi {
namespace {

using collectives::DataType;
using collectives::ReduceOp;

/// inout[i] = op(in[i], inout[i]), as MPI_Op_create takes it. `length` counts elements.
template <DataType Type, ReduceOp Op>
void combine(void* in, void* inout, int* length, MPI_Datatype*) {
  static const Reduction reduce = reduction(Type, Op);
  reduce(static_cast<std::byte*>(inout), static_cast<const std::byte*>(in),
         static_cast<std::size_t>(*length));
}

template <DataType Type>
MPI_User_function* function_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::avg:
    case ReduceOp::sum: return combine<Type, ReduceOp::sum>;
    case ReduceOp::prod: return combine<Type, ReduceOp::prod>;
    case ReduceOp::min: return combine<Type, ReduceOp::min>;
    case ReduceOp::max: return combine<Type, ReduceOp::max>;
  }
  assert(false);
  return nullptr;
}

/// The reduction of a type that MPI does not have; null for others.
MPI_User_function* own_function(DataType type, ReduceOp op) {
  switch (type) {
    case DataType::float8_e4m3: return function_of<DataType::float8_e4m3>(op);
    case DataType::float8_e5m2: return function_of<DataType::float8_e5m2>(op);
    case DataType::float16: return function_of<DataType::float16>(op);
    case DataType::bfloat16: return function_of<DataType::bfloat16>(op);
    default: return nullptr;
  }
}

MPI_Op built_in(ReduceOp op) {
  switch (op) {
    case ReduceOp::avg:
    case ReduceOp::sum: return MPI_SUM;
    case ReduceOp::prod: return MPI_PROD;
    case ReduceOp::min: return MPI_MIN;
    case ReduceOp::max: return MPI_MAX;
  }
  assert(false);
  return MPI_OP_NULL;
}

}  // namespace

MPI_Datatype datatype(DataType type) {
  switch (type) {
    case DataType::int8: return MPI_INT8_T;
    case DataType::uint8: return MPI_UINT8_T;
    case DataType::int32: return MPI_INT32_T;
    case DataType::uint32: return MPI_UINT32_T;
    case DataType::int64: return MPI_INT64_T;
    case DataType::uint64: return MPI_UINT64_T;
    case DataType::float8_e4m3:
    case DataType::float8_e5m2: return MPI_UINT8_T;
    case DataType::float16:
    case DataType::bfloat16: return MPI_UINT16_T;
    case DataType::float32: return MPI_FLOAT;
    case DataType::float64: return MPI_DOUBLE;
  }
  assert(false);
  return MPI_DATATYPE_NULL;
}

Operator::Operator(DataType type, ReduceOp op) {
  MPI_User_function* const function = own_function(type, op);
  is_own_ = function != nullptr;
  if (!is_own_) {
    op_ = built_in(op);
    return;
  }
  constexpr int kCommutes = 1;
  MPI_Op_create(function, kCommutes, &op_);
}

Operator::~Operator() {
  if (is_own_) MPI_Op_free(&op_);
}

}  // namespace railyard::hw::mpi

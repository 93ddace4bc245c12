#pragma once

#include <mpi.h>

#include "collectives/schedule/collective.hpp"

namespace railyard::hw::mpi {

/// An element as MPI knows it; 16-bit floats, for which MPI has no name, are two bytes.
[[nodiscard]] MPI_Datatype datatype(collectives::DataType type);

/// An operation on a type: MPI's own, or for 16-bit floats one of ours (hw/local/reduction.hpp),
/// which is freed with this. MPI has no average: it is a sum here, to be divided
/// (hw/local/averaging.hpp).
class Operator {
 public:
  Operator(collectives::DataType type, collectives::ReduceOp op);
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  [[nodiscard]] MPI_Op get() const { return op_; }

 private:
  MPI_Op op_ = MPI_OP_NULL;
  bool is_own_ = false;
};

}  // namespace railyard::hw::mpi

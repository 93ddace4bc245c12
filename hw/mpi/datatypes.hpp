#pragma once

#include <mpi.h>

#include "collectives/schedule/collective.hpp"

namespace railyard::hw::mpi {

/// MPI's type of an element. MPI has no 16-bit floats; they are two bytes.
[[nodiscard]] MPI_Datatype datatype(collectives::DataType type);

/// An operation on a type: MPI's own, or for 16-bit floats a user function
/// (hw/local/reduction.hpp), which the destructor frees. MPI has no average, so it is a sum that
/// must be divided later (hw/local/averaging.hpp).
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

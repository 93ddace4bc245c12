#include "topology/node/compute_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::ComputeSpec>();

}  // namespace railyard

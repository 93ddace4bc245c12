#include "collectives/nccl/timing/fit/system_map_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<collectives::nccl::SystemRule>();
template const core::StructType& core::struct_type<collectives::nccl::Harness>();
template const core::StructType& core::struct_type<collectives::nccl::ExcludedTable>();
template const core::StructType& core::struct_type<collectives::nccl::SystemMap>();

}  // namespace railyard

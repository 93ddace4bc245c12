#include "topology/node/node_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::HostMemory>();
template const core::StructType& core::struct_type<topology::PriceSpec>();
template const core::StructType& core::struct_type<topology::GpuFile>();
template const core::StructType& core::struct_type<topology::NetSpec>();
template const core::StructType& core::struct_type<topology::PcieSpec>();
template const core::StructType& core::struct_type<topology::CpuSpec>();
template const core::StructType& core::struct_type<topology::NvlinkSpec>();
template const core::StructType& core::struct_type<topology::C2cSpec>();
template const core::StructType& core::struct_type<topology::NodeFile>();

}  // namespace railyard

#include "topology/cluster/timing_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::ProtocolTimes>();
template const core::StructType& core::struct_type<topology::ProtocolRates>();
template const core::StructType& core::struct_type<topology::GpuTiming>();
template const core::StructType& core::struct_type<topology::FabricTiming>();
template const core::StructType& core::struct_type<topology::GpuTimingFile>();
template const core::StructType& core::struct_type<topology::FabricTimingFile>();
template const core::StructType& core::struct_type<topology::PcieTiming>();

}  // namespace railyard

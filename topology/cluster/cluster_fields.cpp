#include "topology/cluster/cluster_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::SwitchSpec>();
template const core::StructType& core::struct_type<topology::CableSpec>();
template const core::StructType& core::struct_type<topology::RoutingOptions>();
template const core::StructType& core::struct_type<topology::FabricSpec>();
template const core::StructType& core::struct_type<topology::StepOverheads>();
template const core::StructType& core::struct_type<topology::ProtocolOverheads>();
template const core::StructType& core::struct_type<topology::NodeGroup>();
template const core::StructType& core::struct_type<topology::ClusterFile>();

}  // namespace railyard

#include "topology/cluster/launch_mode_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::LaunchMode>();

}  // namespace railyard

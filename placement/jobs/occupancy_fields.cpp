#include "placement/jobs/occupancy_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::Tenant>();
template const core::StructType& core::struct_type<placement::Occupancy>();

}  // namespace railyard

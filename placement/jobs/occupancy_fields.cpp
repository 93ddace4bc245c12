#include "placement/jobs/occupancy_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::RunningJob>();
template const core::StructType& core::struct_type<placement::Occupancy>();

}  // namespace railyard

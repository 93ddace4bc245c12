#include "placement/capacity/goodput/failure_model_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::RepairTime>();
template const core::StructType& core::struct_type<placement::FailureCause>();
template const core::StructType& core::struct_type<placement::LemonNodes>();
template const core::StructType& core::struct_type<placement::RepeatedFailures>();
template const core::StructType& core::struct_type<placement::FailureModel>();

}  // namespace railyard

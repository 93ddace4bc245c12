#include "placement/measured/training_map_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::RowRule>();
template const core::StructType& core::struct_type<placement::ErrorTargets>();
template const core::StructType& core::struct_type<placement::TrainingSet>();
template const core::StructType& core::struct_type<placement::LeftOutRows>();
template const core::StructType& core::struct_type<placement::TrainingMap>();

}  // namespace railyard

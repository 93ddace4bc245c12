#include "collectives/nccl/timing/range/prediction_ranges_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<collectives::nccl::MeasuredPart>();
template const core::StructType& core::struct_type<collectives::nccl::RangeClass>();
template const core::StructType& core::struct_type<collectives::nccl::PredictionRanges>();

}  // namespace railyard

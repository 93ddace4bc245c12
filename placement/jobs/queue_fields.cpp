#include "placement/jobs/queue_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::QueuedJob>();
template const core::StructType& core::struct_type<placement::Queue>();

}  // namespace railyard

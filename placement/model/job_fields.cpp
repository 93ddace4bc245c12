#include "placement/model/job_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::Job>();

}  // namespace railyard

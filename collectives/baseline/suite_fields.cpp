#include "collectives/baseline/suite_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<collectives::SuiteCase>();
template const core::StructType& core::struct_type<collectives::Suite>();

}  // namespace railyard

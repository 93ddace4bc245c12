#include "apps/regress/suite_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<apps::SuiteCase>();
template const core::StructType& core::struct_type<apps::Suite>();

}  // namespace railyard

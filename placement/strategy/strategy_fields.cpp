#include "placement/strategy/strategy_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::Strategy>();

}  // namespace railyard

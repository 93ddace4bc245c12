#include "placement/capacity/price_list_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::PriceItem>();
template const core::StructType& core::struct_type<placement::PriceList>();

}  // namespace railyard

#include "topology/fabric/switch_model_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<topology::PortMode>();
template const core::StructType& core::struct_type<topology::SwitchModel>();

}  // namespace railyard

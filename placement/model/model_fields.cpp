#include "placement/model/model_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::MlaSpec>();
template const core::StructType& core::struct_type<placement::MoeSpec>();
template const core::StructType& core::struct_type<placement::TowerSpec>();
template const core::StructType& core::struct_type<placement::StemSpec>();
template const core::StructType& core::struct_type<placement::EncoderSpec>();
template const core::StructType& core::struct_type<placement::Model>();

}  // namespace railyard

#include "sim/packet/parameter_fields.hpp"

namespace railyard {

template const core::StructType& core::struct_type<sim::packet::EcnParameters>();
template const core::StructType& core::struct_type<sim::packet::TrafficClass>();
template const core::StructType& core::struct_type<sim::packet::WatchdogParameters>();
template const core::StructType& core::struct_type<sim::packet::SwitchParameters>();
template const core::StructType& core::struct_type<sim::packet::NicParameters>();
template const core::StructType& core::struct_type<sim::packet::DcqcnParameters>();
template const core::StructType& core::struct_type<sim::packet::HpccParameters>();
template const core::StructType& core::struct_type<sim::packet::SwiftParameters>();
template const core::StructType& core::struct_type<sim::packet::TimelyParameters>();
template const core::StructType& core::struct_type<sim::packet::NsccParameters>();
template const core::StructType& core::struct_type<sim::packet::IbccParameters>();
template const core::StructType& core::struct_type<sim::packet::RcccParameters>();
template const core::StructType& core::struct_type<sim::packet::Parameters>();

}  // namespace railyard

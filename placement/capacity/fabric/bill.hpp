#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/capacity/fabric/cable_runs.hpp"
#include "placement/capacity/price_list.hpp"
#include "topology/fabric/fabric_design.hpp"

namespace railyard::placement {

/// Equal parts of a fabric. Prices are in the list's currency.
struct BillLine {
  std::string part{};  ///< "switch", "NIC", "copper cable", "transceiver", "fibre cable"
  std::string tier{};  ///< "leaf", "node", "leaf to spine", ...
  std::string item{};  ///< name in the price list
  std::int64_t count = 0;
  double metres = 0;  ///< mean length of a cable; 0 for other parts
  double unit_price = 0, price = 0;
  double low = 0, high = 0;  ///< range of `price`; equal to it if the list gives no range
  double watts = 0;          ///< all together
  double watts_low = 0, watts_high = 0;  ///< range of `watts`, as for the price
  bool is_estimate = false;              ///< no public price
  bool is_power_estimate = false;        ///< no public figure of the power
  std::string date{}, source{}, power_source{};
};

/// Inputs of a bill of materials.
struct BillRequest {
  const topology::FabricDesign& design;
  const topology::FabricDemand& demand;
  std::string switch_item{};  ///< name in the price list: "switch/quantum2"
  RoomLayout room{};
};

/// The bill of materials: NICs; switches, cables and transceivers by tier. A copper cable is one
/// item; an optical link is two transceivers and a fibre cable. A switch item priced per Gb/s costs
/// its price times the rate of all ports. Throws InputError for an item that the list does not
/// contain, or that has no price.
[[nodiscard]] std::vector<BillLine> bill_of_materials(const BillRequest& request,
                                                      const PriceList& prices);

/// Sums of a bill.
struct BillTotal {
  double price = 0, low = 0, high = 0;
  double watts = 0, watts_low = 0, watts_high = 0;
  double estimated = 0;        ///< part of the price that is estimated
  double watts_estimated = 0;  ///< part of the power that is estimated
  std::int64_t cables = 0, transceivers = 0;
};
/// The sums of a bill.
[[nodiscard]] BillTotal total_of(const std::vector<BillLine>& bill);

}  // namespace railyard::placement

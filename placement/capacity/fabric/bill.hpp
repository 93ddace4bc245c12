#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/capacity/fabric/cable_runs.hpp"
#include "placement/capacity/price_list.hpp"
#include "topology/fabric/fabric_design.hpp"

namespace railyard::placement {

/// Equal parts of a fabric. Prices are in the currency of the list.
struct BillLine {
  std::string part{};  ///< "switch", "NIC", "copper cable", "transceiver", "fibre cable"
  std::string tier{};  ///< "leaf", "node", "leaf to spine", ...
  std::string item{};  ///< of the price list
  std::int64_t count = 0;
  double metres = 0;  ///< mean length of a cable; 0 for other parts
  double unit_price = 0, price = 0;
  double low = 0, high = 0;  ///< range of `price`; the price where the list has no range
  double watts = 0;          ///< of all
  double watts_low = 0, watts_high = 0;  ///< range of `watts`, like that of the price
  bool is_estimate = false;              ///< there is no public price
  bool is_power_estimate = false;        ///< there is no public figure of the power
  std::string date{}, source{}, power_source{};
};

/// What a bill is made for.
struct BillRequest {
  const topology::FabricDesign& design;
  const topology::FabricDemand& demand;
  std::string switch_item{};  ///< of the price list: "switch/quantum2"
  RoomLayout room{};
};

/// The bill of materials: NICs, switches by tier, cables and transceivers by tier. A copper cable
/// is one item; an optical link is two transceivers and a fibre cable. A switch whose item is
/// priced per Gb/s costs that times its ports' rates. Throws InputError for an item that the list
/// does not have or that has no price.
[[nodiscard]] std::vector<BillLine> bill_of_materials(const BillRequest& request,
                                                      const PriceList& prices);

/// Sums of a bill.
struct BillTotal {
  double price = 0, low = 0, high = 0;
  double watts = 0, watts_low = 0, watts_high = 0;
  double estimated = 0;        ///< of the price, for items without a public price
  double watts_estimated = 0;  ///< of the power, for items without a public figure
  std::int64_t cables = 0, transceivers = 0;
};
[[nodiscard]] BillTotal total_of(const std::vector<BillLine>& bill);

}  // namespace railyard::placement

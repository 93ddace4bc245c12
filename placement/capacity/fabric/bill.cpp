#include "placement/capacity/fabric/bill.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

double gigabits(Bandwidth rate) { return static_cast<double>(rate.bits_per_second()) / 1e9; }

/// "400G".
std::string speed_name(Bandwidth rate) { return fmt::format("{:g}G", gigabits(rate)); }

/// Sum of the rates of a switch's ports, in Gb/s.
double capacity(const topology::SwitchModel& model) {
  if (model.ports.empty()) return 0;
  return gigabits(model.ports.front().speed) * model.ports.front().count;
}

class Bill {
 public:
  Bill(const BillRequest& request, const PriceList& prices)
      : request_(request),
        prices_(prices),
        port_(request.demand.nic_rate / request.design.planes) {}

  std::vector<BillLine> run() && {
    const auto& demand = request_.demand;
    add({.part = "NIC",
         .tier = "node",
         .item = "nic/" + speed_name(demand.nic_rate),
         .count = std::int64_t{demand.nodes} * demand.nics});
    constexpr std::array kTiers{"leaf", "spine", "core"};
    for (std::size_t tier = 0; tier < kTiers.size(); ++tier) {
      const auto& model = request_.design.fabric.models[tier];
      add({.part = "switch",
           .tier = kTiers[tier],
           .item = request_.switch_item,
           .count = request_.design.tiers[tier].switches},
          model ? capacity(*model) : 0);
    }
    for (const CableRun& run : cable_runs(request_.design, demand.nodes, port_, request_.room))
      add_cables(run);
    return std::move(lines_);
  }

 private:
  void add_cables(const CableRun& run) {
    const std::string speed = speed_name(run.speed);
    if (run.medium == CableMedium::copper) {
      add({.part = "copper cable",
           .tier = run.tier,
           .item = "copper/" + speed,
           .count = run.count,
           .metres = run.mean_metres});
      return;
    }
    const char* const kind = run.medium == CableMedium::multimode ? "_sr" : "_dr";
    add({.part = "transceiver",
         .tier = run.tier,
         .item = "optic/" + speed + kind,
         .count = 2 * run.count});
    add({.part = "fibre cable",
         .tier = run.tier,
         .item = "fibre/cable",
         .count = run.count,
         .metres = run.mean_metres});
  }

  /// `gbps`: rate of one item, for prices per Gb/s.
  void add(BillLine line, double gbps = 0) {
    if (line.count == 0) return;
    const PriceItem& item = item_of(prices_, line.item);
    if (!item.price)
      throw InputError("", "--prices", fmt::format("the item '{}' has no price", line.item),
                       fmt::format("--price {}=NUMBER", line.item));
    const bool by_rate = item.per == PricePer::gigabit_per_second;
    const bool by_metre = item.per == PricePer::metre;
    const double units = by_rate ? gbps : by_metre ? line.metres : 1;
    const double all = units * static_cast<double>(line.count);
    line.unit_price = units * *item.price;
    line.price = all * *item.price;
    line.low = all * item.low.value_or(*item.price);
    line.high = all * item.high.value_or(*item.price);
    const double powered = (by_rate ? gbps : 1) * static_cast<double>(line.count);
    if (item.power) {
      line.watts = powered * item.power->watts();
      line.watts_low = powered * item.power_low.value_or(*item.power).watts();
      line.watts_high = powered * item.power_high.value_or(*item.power).watts();
    }
    line.is_estimate = item.estimate;
    line.is_power_estimate = item.power_estimate;
    line.date = item.date;
    line.source = item.source;
    line.power_source = item.power_source;
    lines_.push_back(std::move(line));
  }

  const BillRequest& request_;
  const PriceList& prices_;
  Bandwidth port_;
  std::vector<BillLine> lines_;
};

}  // namespace

std::vector<BillLine> bill_of_materials(const BillRequest& request, const PriceList& prices) {
  return Bill(request, prices).run();
}

BillTotal total_of(const std::vector<BillLine>& bill) {
  BillTotal total;
  for (const BillLine& line : bill) {
    total.price += line.price;
    total.low += line.low;
    total.high += line.high;
    total.watts += line.watts;
    total.watts_low += line.watts_low;
    total.watts_high += line.watts_high;
    if (line.is_estimate) total.estimated += line.price;
    if (line.is_power_estimate) total.watts_estimated += line.watts;
    if (line.part == "transceiver") total.transceivers += line.count;
    if (line.part == "copper cable" || line.part == "fibre cable") total.cables += line.count;
  }
  return total;
}

}  // namespace railyard::placement

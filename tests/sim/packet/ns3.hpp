#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet::testing {

using namespace railyard::literals;

/// A case of the reference runs of ns-3 (truth/packet/reference/README.md) on one switch.
struct Case {
  std::string name, protocol;
  std::int64_t gigabits = 0, payload = 0, buffer_mib = 0, hosts = 0;
  double mean_us = 0, max_us = 0, frames = 0, queue = 0;
};

inline std::vector<Case> cases() {
  std::vector<Case> found;
  const auto path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "../shared/truth/packet/reference/summary.csv";
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (cells.front() != "ns3") continue;
    found.push_back({cells[2], cells[3], std::atol(cells[4].c_str()), std::atol(cells[5].c_str()),
                     std::atol(cells[6].c_str()), std::atol(cells[7].c_str()),
                     std::atof(cells[10].c_str()), std::atof(cells[13].c_str()),
                     std::atof(cells[15].c_str()), std::atof(cells[19].c_str())});
  }
  return found;
}

inline bool has(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

/// HPCC's records take 42 bytes of a packet, and an acknowledgement returns them.
inline std::int64_t ack_bytes(const Case& one) { return one.protocol == "hpcc" ? 88 : 60; }
inline std::int64_t overhead(const Case& one) { return one.protocol == "hpcc" ? 48 + 42 : 48; }

inline Parameters emulation(const Case& one, Time latency) {
  Parameters p;
  p.congestion = one.protocol == "pfc"    ? Congestion::none
                 : one.protocol == "hpcc" ? Congestion::hpcc
                                          : Congestion::dcqcn;
  p.switches.cut_through = false;
  p.switches.buffer = Bytes(one.buffer_mib << 20);
  p.switches.headroom = Bytes(one.gigabits * latency.picoseconds() / 8000 * 3);
  const bool step = has(one.name, "step100");
  p.switches.ecn = {.k_min = step ? 100'000_B : 400'000_B,
                    .k_max = step ? 100'000_B : 1'600'000_B,
                    .p_max = 0.2,
                    .reference = 100_Gbps};
  p.nic.ack_interval = 1;
  p.nic.ack_bytes = Bytes(ack_bytes(one));
  // R_AI = 40 Mb/s at 100 Gb/s is a 125th of 5 % of the rate. T counts payload alone.
  p.hpcc = {.max_stage = 0,
            .flows = 125,
            .base_rtt = 4 * latency +
                        2 * core::serialisation_time(Bytes(one.payload),
                                                     Bandwidth::gigabits_per_second(one.gigabits)),
            .minimum_rate = 1_Gbps,
            .rounded_records = true};
  const bool paper = one.protocol == "dcqcn_paper";
  p.dcqcn = {.alpha_timer = paper ? 50_us : 1_us,
             .increase_timer = paper ? 55_us : 300_us,
             .byte_counter = Bytes(0),
             .fast_recovery = 1,
             .additive_increase = Bandwidth::megabits_per_second(20),
             .hyper_increase = Bandwidth::megabits_per_second(200),
             .minimum_rate = 1_Gbps,
             .cnp_interval = Time(),
             .decrease_interval = paper ? 50_us : 4_us,
             .clamp_target = false};
  return p;
}

}  // namespace railyard::sim::packet::testing

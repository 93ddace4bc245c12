#include "hw/probe/host_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "topology/formats/nccl_xml_writer.hpp"
#include "topology/node/host_rank.hpp"
#include "topology/node/write_node.hpp"

namespace railyard::hw {
namespace {

/// Removes values that differ between equal machines: names, network addresses, hashes, measured
/// rates.
void strip(std::vector<topology::PcieSpec>& functions) {
  for (topology::PcieSpec& function : functions) {
    if (function.kind == topology::PcieKind::gpu) function.bandwidth.reset();
    for (topology::NetSpec& net : function.nets) net.guid.clear();
    strip(function.children);
  }
}

std::string alike_text(topology::NodeSpec node) {
  node.name = "node";
  node.source.clear();
  for (topology::CpuSpec& cpu : node.cpus) {
    cpu.host_hash.clear();
    strip(cpu.pcie);
  }
  return topology::write_node_file(node, node.gpu.name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" ,");
    lines.push_back(line.substr(begin, end - begin + 1));
  }
  return lines;
}

/// The first line in which two texts differ.
std::string difference(const std::string& here, const std::string& there) {
  const std::vector<std::string> mine = lines_of(here);
  const std::vector<std::string> theirs = lines_of(there);
  const auto [own, other] = std::ranges::mismatch(mine, theirs);
  const std::string has = own == mine.end() ? "nothing more" : *own;
  const std::string not_this = other == theirs.end() ? "nothing more" : *other;
  return fmt::format("{} instead of {}", has, not_this);
}

bool rates_are_alike(std::int64_t a, std::int64_t b) {
  const auto [low, high] = std::minmax(a, b);
  return static_cast<double>(low) >= (1 - kAlikeRates) * static_cast<double>(high);
}

std::string rate_text(std::int64_t bits) { return core::to_text(Bandwidth::bits_per_second(bits)); }

/// The difference between a report and a kind; "" if the report is of that kind.
std::string why_other(const HostReport& report, const HostReport& kind) {
  if (report.alike != kind.alike) return difference(report.alike, kind.alike);
  if (report.transport != kind.transport)
    return fmt::format("NICs use {} instead of {}", report.transport, kind.transport);
  if (rates_are_alike(report.rate, kind.rate)) return {};
  return fmt::format("a rank copies memory at {} instead of {}", rate_text(report.rate),
                     rate_text(kind.rate));
}

}  // namespace

HostReport report_of(const std::string& host, const ProbedNode& probed) {
  HostReport report{.host = host,
                    .node_file = {},
                    .gpu_file = {},
                    .alike = alike_text(probed.node),
                    .transport = probed.transport,
                    .source = probed.node.source,
                    .notes = probed.notes};
  if (topology::is_host_rank(probed.node.gpu)) {
    report.gpu_file = topology::write_gpu_file(probed.node.gpu, probed.memory);
    report.node_file = topology::write_node_file(probed.node, std::string(kGpuFile));
  } else {
    report.node_file = topology::export_nccl_xml(probed.node);
  }
  if (probed.timing) {
    report.rate = probed.timing->rate.bits_per_second();
    report.launch = probed.timing->launch.picoseconds();
    report.step = probed.timing->step.picoseconds();
  }
  return report;
}

std::string packed(const HostReport& report) {
  std::vector<std::string> parts{report.host,
                                 report.node_file,
                                 report.gpu_file,
                                 report.alike,
                                 report.transport,
                                 report.source,
                                 std::to_string(report.rate),
                                 std::to_string(report.launch),
                                 std::to_string(report.step)};
  parts.insert(parts.end(), report.notes.begin(), report.notes.end());
  std::string text;
  for (const std::string& part : parts) text += fmt::format("{}:{}", part.size(), part);
  return text;
}

HostReport unpacked(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colon = text.find(':', at);
    const std::size_t size = std::stoull(text.substr(at, colon - at));
    parts.push_back(text.substr(colon + 1, size));
    at = colon + 1 + size;
  }
  constexpr std::size_t kFixed = 9;
  return {.host = parts.at(0),
          .node_file = parts.at(1),
          .gpu_file = parts.at(2),
          .alike = parts.at(3),
          .transport = parts.at(4),
          .source = parts.at(5),
          .rate = std::stoll(parts.at(6)),
          .launch = std::stoll(parts.at(7)),
          .step = std::stoll(parts.at(8)),
          .notes = {parts.begin() + kFixed, parts.end()}};
}

HostKinds kinds_of(const std::vector<HostReport>& reports) {
  HostKinds found;
  for (const HostReport& report : reports) {
    std::size_t kind = 0;
    while (kind < found.kinds.size() && !why_other(report, found.kinds[kind]).empty()) ++kind;
    found.of_host.push_back(kind);
    if (kind == found.kinds.size()) {
      if (kind > 0) {
        found.findings.push_back(fmt::format("host {} differs from host {}: {}", report.host,
                                             reports.front().host,
                                             why_other(report, found.kinds.front())));
      }
      found.kinds.push_back(report);
    } else if (report.rate < found.kinds[kind].rate) {
      found.kinds[kind] = report;
    }
  }
  return found;
}

ProbeTurns turns_of(const World& world) {
  ProbeTurns turns;
  std::map<std::string, int> next_of_machine;
  const std::vector<ProcessPlace>& places = world.places();
  const std::string& own = places[world.process()].host;
  turns.processes = static_cast<int>(std::ranges::count(places, own, &ProcessPlace::host));
  for (std::uint32_t process = 0; process < world.processes(); ++process) {
    const ProcessPlace& place = places[process];
    if (std::ranges::find(turns.hosts, place.host) != turns.hosts.end()) continue;
    turns.hosts.push_back(place.host);
    const int turn = next_of_machine[place.machine]++;
    turns.turns = std::max(turns.turns, turn + 1);
    if (process != world.process()) continue;
    turns.describes = true;
    turns.turn = turn;
  }
  return turns;
}

}  // namespace railyard::hw

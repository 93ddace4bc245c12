#include "collectives/nccl/graph/system_builder.hpp"

#include <algorithm>
#include <cstdlib>

namespace railyard::collectives::nccl {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::uint64_t hexadecimal(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 16);
}

}  // namespace

int SystemBuilder::add(VertexKind kind, int host) {
  auto& same = system_.of_kind[static_cast<std::size_t>(kind)];
  const int vertex = static_cast<int>(system_.vertices.size());
  system_.vertices.push_back(
      {.kind = kind, .index = static_cast<int>(same.size()), .host = host, .links = {}});
  same.push_back(vertex);
  parents_.push_back(-1);
  return vertex;
}

void SystemBuilder::connect(int from, int to, PathType type, float bandwidth) {
  auto& links = system_.vertices[at(from)].links;
  auto place = std::ranges::find_if(links, [&](int link) {
    return system_.links[at(link)].to == to && system_.links[at(link)].type == type;
  });
  if (place == links.end()) {
    links.push_back(static_cast<int>(system_.links.size()));
    place = links.end() - 1;
    system_.links.push_back({.from = from, .to = to, .type = type});
  }
  const int link = *place;
  system_.links[at(link)].bandwidth += bandwidth;
  while (place != links.begin() &&
         system_.links[at(*(place - 1))].bandwidth < system_.links[at(link)].bandwidth) {
    std::iter_swap(place, place - 1);
    --place;
  }
}

void SystemBuilder::connect_both(int a, int b, PathType type, float bandwidth) {
  connect(a, b, type, bandwidth);
  connect(b, a, type, bandwidth);
}

void SystemBuilder::set_parent(int vertex, int parent) { parents_[at(vertex)] = parent; }

void SystemBuilder::move_link_up_to_the_end(int vertex) {
  auto& links = system_.vertices[at(vertex)].links;
  const auto up = std::ranges::find_if(
      links, [&](int link) { return system_.links[at(link)].to == parents_[at(vertex)]; });
  if (up != links.end()) std::rotate(up, up + 1, links.end());
}

System SystemBuilder::finish() && {
  for (int vertex = 0; vertex < static_cast<int>(parents_.size()); ++vertex)
    if (parents_[at(vertex)] >= 0) move_link_up_to_the_end(vertex);
  for (SystemLink& link : system_.links) {
    for (const int back : system_.vertices[at(link.to)].links) {
      if (system_.links[at(back)].to == link.from && system_.links[at(back)].type == link.type)
        link.reverse = back;
    }
  }
  return std::move(system_);
}

int two_level_switch_generation(const topology::PcieSpec& function, int level) {
  const std::uint64_t device =
      (hexadecimal(function.vendor) << 48) + (hexadecimal(function.device) << 32) +
      (hexadecimal(function.subsystem_vendor) << 16) + hexadecimal(function.subsystem_device);
  // NCCL 2.30.7 src/graph/topo.cc, getBcmGen: PEX switches in base mode.
  constexpr std::uint64_t kFamily = 0xfffffffffffff000, kGen4 = 0x1000c0101000a000,
                          kGen5 = 0x1000c03010000000, kLevel = 0x1000;
  if ((device & kFamily) == kGen4) return 4;
  if ((device & kFamily) == (kGen5 | (static_cast<std::uint64_t>(level) * kLevel))) return 5;
  return 0;
}

}  // namespace railyard::collectives::nccl

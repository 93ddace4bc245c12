#include "sim/flow_state.hpp"

namespace railyard::sim {

StreamId FlowState::start(std::span<const topology::Hop> hops, double bytes, Owner owner) {
  const StreamId stream = fluid.add({.hops = hops, .bytes = bytes});
  auto& active = tasks[owner.task].active;
  owner.place = static_cast<std::uint32_t>(active.size());
  active.push_back(stream);
  if (owners.size() <= stream.index()) owners.resize(stream.index() + 1);
  owners[stream.index()] = owner;
  return stream;
}

FlowState::Owner FlowState::retire(StreamId stream) {
  const Owner owner = owners[stream.index()];
  auto& active = tasks[owner.task].active;
  active[owner.place] = active.back();
  owners[active.back().index()].place = owner.place;
  active.pop_back();
  return owner;
}

}  // namespace railyard::sim

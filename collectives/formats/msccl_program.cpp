#include "collectives/formats/msccl_program.hpp"

#include <algorithm>
#include <utility>

namespace railyard::collectives {
namespace {

MscclSpan shifted(MscclSpan span, std::uint64_t by) {
  return {.buffer = span.buffer, .offset = span.offset + by};
}

}  // namespace

int MscclGpu::block(int send, int receive, int channel) {
  const auto [entry, is_new] =
      index_.try_emplace({send, receive, channel}, static_cast<int>(blocks_.size()));
  if (is_new)
    blocks_.push_back({.send = send, .receive = receive, .channel = channel, .steps = {}});
  return entry->second;
}

MscclGpu::At MscclGpu::add(int block, MscclStep step, std::vector<At> needed) {
  // Steps of the same thread block run in order anyway. Of another thread block a dependency on the
  // last step is enough.
  std::sort(needed.begin(), needed.end());
  std::map<int, int> last;
  for (const At& at : needed) {
    if (at.block >= 0 && at.block != block) last[at.block] = at.step;
  }
  auto& steps = blocks_[static_cast<std::size_t>(block)].steps;
  std::size_t left = last.size();
  for (const auto& [other, number] : last) {
    blocks_[static_cast<std::size_t>(other)]
        .steps[static_cast<std::size_t>(number)]
        .has_dependents = true;
    MscclStep& carrier =
        --left == 0 ? step
                    : steps.emplace_back(MscclStep{.type = "nop", .source = {}, .destination = {}});
    carrier.depends_on_block = other;
    carrier.depends_on_step = number;
  }
  steps.push_back(step);
  return {.block = block, .step = static_cast<int>(steps.size()) - 1};
}

void MscclGpu::send(int peer, int channel, MscclSpan from, std::uint64_t count) {
  std::vector<At> needed;
  for (std::uint64_t c = 0; c < count; ++c) needed.push_back(accesses_[shifted(from, c)].writer);
  const At at =
      add(block(peer, -1, channel),
          {.type = "s", .source = from, .destination = from, .count = count}, std::move(needed));
  for (std::uint64_t c = 0; c < count; ++c) accesses_[shifted(from, c)].readers.push_back(at);
}

void MscclGpu::receive(int peer, int channel, MscclSpan to, std::uint64_t count, bool reduces) {
  std::vector<At> needed;
  for (std::uint64_t c = 0; c < count; ++c) {
    const Access& access = accesses_[shifted(to, c)];
    needed.push_back(access.writer);
    needed.insert(needed.end(), access.readers.begin(), access.readers.end());
  }
  const At at =
      add(block(-1, peer, channel),
          {.type = reduces ? "rrc" : "r", .source = to, .destination = to, .count = count},
          std::move(needed));
  for (std::uint64_t c = 0; c < count; ++c)
    accesses_[shifted(to, c)] = {.writer = at, .readers = {}};
}

void MscclGpu::copy(MscclSpan from, MscclSpan to, std::uint64_t count) {
  add(block(-1, -1, 0), {.type = "cpy", .source = from, .destination = to, .count = count}, {});
}

}  // namespace railyard::collectives

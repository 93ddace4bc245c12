#include "hw/local/block_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "collectives/schedule/holdings.hpp"
#include "core/available_memory.hpp"
#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using collectives::Collective;
using collectives::Schedule;

constexpr std::align_val_t kAlignment{4096};

}  // namespace

CheckResult check_range(const BlockPlace& place, const CheckedRange& range) {
  const auto size = static_cast<std::size_t>(collectives::size_of(range.type).count());
  const Comparison comparison =
      range.tolerance > 0
          ? compare_close(range.type, range.got, range.table, range.first, range.tolerance)
          : compare(range.got, range.table, range.first, size);
  if (comparison.wrong == 0) return {};
  const std::uint64_t at = comparison.first_wrong * size;
  const std::uint64_t in_table = (range.first * size + at) % range.table.size();
  return {.wrong = comparison.wrong,
          .first_wrong = fmt::format("rank {}, block {}, byte offset {}: expected {}, got {}",
                                     place.participant, place.block, range.offset + at,
                                     element_text(range.type, range.table.data() + in_table),
                                     element_text(range.type, range.got.data() + at))};
}

BlockPlan plan_of(const Schedule& schedule, const Program& program) {
  return {.collective = schedule.collective(),
          .ranks = schedule.group().size(),
          .blocks = schedule.blocks(),
          .block_bytes = static_cast<std::uint64_t>(schedule.block_bytes().count()),
          .before = program.before,
          .after = program.after,
          .arena_bytes = program.arena_bytes};
}

void BlockMemory::Free::operator()(std::byte* bytes) const {
  ::operator delete[](bytes, kAlignment);
}

BlockMemory::Memory BlockMemory::allocated(const BlockPlan& plan, std::uint64_t bytes) {
  const std::uint64_t available = core::available_memory();
  void* memory = bytes > available ? nullptr : ::operator new[](bytes, kAlignment, std::nothrow);
  if (memory == nullptr) {
    throw BackendError(fmt::format(
        "local: {} ranks with {} need {:.1f} GiB of memory, and this machine has {:.1f} GiB "
        "available; take fewer ranks or bytes",
        plan.ranks, core::to_text(plan.collective.bytes), static_cast<double>(bytes) / 0x1p30,
        static_cast<double>(available) / 0x1p30));
  }
  return Memory(static_cast<std::byte*>(memory));
}

BlockMemory::BlockMemory(BlockPlan plan, std::uint64_t seed, bool separate_inputs)
    : plan_(std::move(plan)),
      values_(plan_.collective.type, plan_.collective.op, plan_.ranks, seed),
      element_(static_cast<std::size_t>(collectives::size_of(plan_.collective.type).count())),
      period_(std::clamp<std::uint64_t>(plan_.blocks * (plan_.block_bytes / element_), 1,
                                        TestValues::kPeriod)),
      bytes_(allocated(plan_, plan_.arena_bytes)) {
  if (separate_inputs) inputs_ = allocated(plan_, plan_.before.size() * plan_.block_bytes);
}

std::uint64_t BlockMemory::first_element(std::uint64_t block) const {
  return block * (plan_.block_bytes / element_) % period_;
}

void BlockMemory::reset() {
  std::memset(bytes_.get(), 0xA5, plan_.arena_bytes);
  restore();
}

void BlockMemory::restore() {
  std::vector<std::byte> table;
  std::optional<collectives::Participant> whose;
  for (std::size_t i = 0; i < plan_.before.size(); ++i) {
    const BlockPlace& place = plan_.before[i];
    if (whose != place.participant) table = values_.of(place.participant, period_);
    whose = place.participant;
    std::byte* to = inputs_ ? inputs_.get() + i * plan_.block_bytes : bytes_.get() + place.offset;
    fill({to, plan_.block_bytes}, table, first_element(place.block), element_);
  }
}

void BlockMemory::bring() {
  if (!inputs_) return;
  for (std::size_t i = 0; i < plan_.before.size(); ++i) {
    std::memcpy(bytes_.get() + plan_.before[i].offset, inputs_.get() + i * plan_.block_bytes,
                plan_.block_bytes);
  }
}

CheckResult BlockMemory::check() const {
  // Ordered by contributor, so that only one table exists at a time.
  std::vector<std::pair<std::optional<std::uint32_t>, BlockPlace>> places;
  for (const BlockPlace& place : plan_.after) {
    places.emplace_back(collectives::contributor(plan_.collective, plan_.ranks, place.block),
                        place);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  CheckResult result;
  std::vector<std::byte> table;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [whose, place] = places[i];
    if (i == 0 || whose != places[i - 1].first) {
      table = whose ? values_.of(*whose, period_) : values_.reduced(period_);
    }
    result += check_range(place, {.type = plan_.collective.type,
                                  .got = {bytes_.get() + place.offset, plan_.block_bytes},
                                  .table = table,
                                  .first = first_element(place.block)});
  }
  return result;
}

}  // namespace railyard::hw

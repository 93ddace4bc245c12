#include "hw/local_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

#include "core/diagnostic.hpp"
#include "hw/holdings.hpp"

namespace railyard::hw {
namespace {

using collectives::Collective;
using collectives::Schedule;

constexpr std::align_val_t kAlignment{4096};

/// MemAvailable of /proc/meminfo; no limit where it cannot be read.
std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  for (std::uint64_t kibibytes = 0; file >> key >> kibibytes;) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::byte* allocated(std::uint64_t bytes, const Schedule& schedule) {
  const std::uint64_t available = available_memory();
  void* memory = bytes > available ? nullptr : ::operator new[](bytes, kAlignment, std::nothrow);
  if (memory == nullptr) {
    throw BackendError(fmt::format(
        "local: {} ranks with {} need {:.1f} GiB of memory, and this machine has {:.1f} GiB "
        "available; take fewer ranks or bytes",
        schedule.group().size(), core::to_text(schedule.collective().bytes),
        static_cast<double>(bytes) / 0x1p30, static_cast<double>(available) / 0x1p30));
  }
  return static_cast<std::byte*>(memory);
}

}  // namespace

void LocalMemory::Free::operator()(std::byte* bytes) const {
  ::operator delete[](bytes, kAlignment);
}

LocalMemory::LocalMemory(const Schedule& schedule, const LocalProgram& program, std::uint64_t seed)
    : schedule_(schedule),
      program_(program),
      values_(schedule.collective().type, schedule.collective().op, schedule.group().size(), seed),
      element_(static_cast<std::size_t>(collectives::size_of(schedule.collective().type).count())),
      block_bytes_(static_cast<std::size_t>(schedule.block_bytes().count())),
      period_(std::clamp<std::uint64_t>(schedule.blocks() * (block_bytes_ / element_), 1,
                                        TestValues::kPeriod)),
      bytes_(allocated(program.arena_bytes, schedule)) {}

std::span<std::byte> LocalMemory::at(const BlockPlace& place) const {
  return {bytes_.get() + place.offset, block_bytes_};
}

std::uint64_t LocalMemory::first_element(std::uint64_t block) const {
  return block * (block_bytes_ / element_) % period_;
}

void LocalMemory::reset() {
  std::memset(bytes_.get(), 0xA5, program_.arena_bytes);
  restore();
}

void LocalMemory::restore() {
  std::vector<std::byte> table;
  std::optional<collectives::Participant> whose;
  for (const BlockPlace& place : program_.before) {
    if (whose != place.participant) table = values_.of(place.participant, period_);
    whose = place.participant;
    fill(at(place), table, first_element(place.block), element_);
  }
}

CheckResult LocalMemory::check() const {
  const std::uint32_t ranks = schedule_.group().size();
  // In order of contributor, so that one table is alive at a time.
  std::vector<std::pair<std::optional<std::uint32_t>, BlockPlace>> places;
  for (const BlockPlace& place : program_.after) {
    places.emplace_back(contributor(schedule_.collective(), ranks, place.block), place);
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
    const std::span<const std::byte> got = at(place);
    const std::uint64_t first = first_element(place.block);
    const Comparison comparison = compare(got, table, first, element_);
    if (comparison.wrong == 0) continue;
    if (result.wrong == 0) {
      const std::uint64_t element = comparison.first_wrong;
      const auto type = schedule_.collective().type;
      result.first_wrong =
          fmt::format("rank {}, block {}, byte offset {}: expected {}, got {}", place.participant,
                      place.block, element * element_,
                      element_text(type, table.data() + (first + element) % period_ * element_),
                      element_text(type, got.data() + element * element_));
    }
    result.wrong += comparison.wrong;
  }
  return result;
}

}  // namespace railyard::hw

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace railyard::core {

/// An index of one kind of object. Ids of different kinds neither convert nor compare. The default
/// value is none().
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  explicit constexpr Id(std::uint32_t value) : value_(value) {}
  explicit constexpr Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}
  explicit constexpr Id(int index) : value_(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] static constexpr Id none() { return Id(); }

  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  /// The value as an array index.
  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  [[nodiscard]] constexpr bool is_none() const { return value_ == kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t value_ = kNone;
};

}  // namespace railyard::core

template <class Tag>
struct std::hash<railyard::core::Id<Tag>> {
  std::size_t operator()(railyard::core::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.value());
  }
};

namespace railyard {
using core::Id;
/// A GPU's number in the whole cluster, 0..gpus-1 (NCCL's rank when every GPU takes part).
using Rank = Id<struct RankTag>;
/// A node: the GPUs of one NVLink/PCIe domain.
using NodeId = Id<struct NodeTag>;
/// A vertex of the cluster graph.
using DeviceId = Id<struct DeviceTag>;
/// A directed link of the cluster graph.
using LinkId = Id<struct LinkTag>;
}  // namespace railyard

#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard {

template <>
struct core::EnumNames<sim::packet::Transport> {
  using enum sim::packet::Transport;
  static constexpr std::array<std::pair<sim::packet::Transport, std::string_view>, 4> table{
      {{roce, "roce"}, {ib, "ib"}, {uec, "uec"}, {ndp, "ndp"}}};
};

template <>
struct core::EnumNames<sim::packet::Congestion> {
  using enum sim::packet::Congestion;
  static constexpr std::array<std::pair<sim::packet::Congestion, std::string_view>, 9> table{
      {{none, "none"},
       {dcqcn, "dcqcn"},
       {hpcc, "hpcc"},
       {swift, "swift"},
       {timely, "timely"},
       {nscc, "nscc"},
       {rccc, "rccc"},
       {ndp, "ndp"},
       {ibcc, "ibcc"}}};
};

template <>
struct core::EnumNames<sim::packet::Recovery> {
  using enum sim::packet::Recovery;
  static constexpr std::array<std::pair<sim::packet::Recovery, std::string_view>, 2> table{
      {{go_back_n, "go_back_n"}, {selective, "selective"}}};
};

template <>
struct core::EnumNames<sim::packet::ControlQueue> {
  using enum sim::packet::ControlQueue;
  static constexpr std::array<std::pair<sim::packet::ControlQueue, std::string_view>, 3> table{
      {{shared, "shared"}, {strict, "strict"}, {weighted, "weighted"}}};
};

template <>
struct core::EnumNames<sim::packet::Scheduling> {
  using enum sim::packet::Scheduling;
  static constexpr std::array<std::pair<sim::packet::Scheduling, std::string_view>, 2> table{
      {{strict, "strict"}, {weighted, "weighted"}}};
};

template <>
struct core::EnumNames<sim::packet::WatchdogAction> {
  using enum sim::packet::WatchdogAction;
  static constexpr std::array<std::pair<sim::packet::WatchdogAction, std::string_view>, 2> table{
      {{drop, "drop"}, {forward, "forward"}}};
};

template <>
struct core::EnumNames<sim::packet::PathChoice> {
  using enum sim::packet::PathChoice;
  static constexpr std::array<std::pair<sim::packet::PathChoice, std::string_view>, 5> table{
      {{in_turn, "in_turn"},
       {reps, "reps"},
       {flowlet, "flowlet"},
       {skip_marked, "skip_marked"},
       {mixed, "mixed"}}};
};

}  // namespace railyard

#include "collectives/formats/nccl_tests_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "collectives/formats/nccl_tests_types.hpp"

namespace railyard::collectives {
namespace {

/// The number of decimals depends on the magnitude, as in nccl-tests.
std::string time_text(double microseconds) {
  if (microseconds >= 10000) return fmt::format("{:.0f}", microseconds);
  if (microseconds >= 100) return fmt::format("{:.1f}", microseconds);
  return fmt::format("{:.2f}", microseconds);
}

std::string place_text(const Measurement* row, bool is_checked) {
  if (row == nullptr) return fmt::format("  {0:>7}  {0:>6}  {0:>6}  {0:>5}", "N/A");
  const std::string wrong = is_checked ? std::to_string(row->live->wrong) : "N/A";
  return fmt::format("  {:>7}  {:>6.2f}  {:>6.2f}  {:>5}", time_text(row->time.microseconds()),
                     row->algbw_GBps, row->busbw_GBps, wrong);
}

/// Elements that a rank sends to one peer; if it sends the same to all, all its elements.
std::int64_t count_of(const Collective& collective, std::uint32_t ranks, Bytes bytes) {
  using enum Kind;
  const bool in_blocks = collective.kind == all_gather || collective.kind == reduce_scatter ||
                         collective.kind == all_to_all;
  return bytes.count() / size_of(collective.type).count() / (in_blocks ? ranks : 1);
}

std::string row_head(const Collective& collective, std::uint32_t ranks, Bytes bytes) {
  const Kind kind = collective.kind;
  // sendrecv_perf prints an operation although it does not reduce.
  const bool has_op = is_reduction(kind) || kind == Kind::send_recv;
  const bool has_root = kind == Kind::broadcast || kind == Kind::reduce;
  return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}", bytes.count(),
                     count_of(collective, ranks, bytes), nccl_tests_type(collective.type),
                     has_op ? to_text(collective.op) : "none",
                     has_root ? std::to_string(collective.root) : "-1");
}

void write_head(const NcclTestsHead& head, std::ostream& out) {
  out << fmt::format("# Collective test starting: {}\n", nccl_tests_program(head.collective.kind))
      << fmt::format("# {}\n", head.command)
      << fmt::format(
             "# nThread 1 nGpus {} minBytes {} maxBytes {} step: {}(factor) warmup iters: {} "
             "iters: {} agg iters: 1 validation: {} graph: {}\n",
             head.devices.size() / std::max<std::size_t>(head.processes, 1), head.least.count(),
             head.most.count(), head.factor, head.warmup, head.iterations, head.is_checked ? 1 : 0,
             head.graph ? 1 : 0)
      << "#\n# Using devices\n";
  for (std::size_t rank = 0; rank < head.devices.size(); ++rank) {
    const NcclTestsDevice& device = head.devices[rank];
    std::size_t number = 0;
    for (std::size_t before = 0; before < rank; ++before)
      number += head.devices[before].host == device.host ? 1 : 0;
    out << fmt::format("#  Rank {:>2} Group  0 Pid {:>6} on {:>10} device {:>2} [{}] {}\n", rank,
                       device.pid, device.host, number, device.place, device.name);
  }
}

void write_headings(std::ostream& out) {
  constexpr std::string_view kPlace = "  {:>7}  {:>6}  {:>6} {:>6}";
  const auto line = [&](std::string_view size, std::string_view count, std::string_view type,
                        std::string_view op, std::string_view root) {
    return fmt::format("# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}", size, count, type, op, root);
  };
  const std::string names = fmt::format(fmt::runtime(kPlace), "time", "algbw", "busbw", "#wrong");
  const std::string units = fmt::format(fmt::runtime(kPlace), "(us)", "(GB/s)", "(GB/s)", "");
  out << "#\n"
      << line("", "", "", "", "")
      << "           out-of-place                       in-place          \n"
      << line("size", "count", "type", "redop", "root") << names << names << '\n'
      << line("(B)", "(elements)", "", "", "") << units << units << '\n';
}

}  // namespace

std::string nccl_tests_program(Kind kind) {
  if (kind == Kind::all_to_all) return "alltoall_perf";
  if (kind == Kind::send_recv) return "sendrecv_perf";
  return fmt::format("{}_perf", to_text(kind));
}

NcclTestsText::NcclTestsText(NcclTestsHead head, std::ostream& out)
    : head_(std::move(head)), out_(out) {
  write_head(head_, out_);
  write_headings(out_);
  out_.flush();
}

void NcclTestsText::add(std::span<const Measurement> rows) {
  const Measurement* out_of_place = nullptr;
  const Measurement* in_place = nullptr;
  for (const Measurement& row : rows) {
    (row.live->in_place ? in_place : out_of_place) = &row;
    busbw_ += row.busbw_GBps;
    failed_ += row.live->wrong != 0 ? 1 : 0;
    ++rows_;
  }
  const bool is_checked = head_.is_checked;
  const auto ranks = static_cast<std::uint32_t>(head_.devices.size());
  out_ << row_head(head_.collective, ranks, rows.front().bytes)
       << place_text(out_of_place, is_checked) << place_text(in_place, is_checked) << std::endl;
}

void NcclTestsText::end() {
  const double mean = rows_ == 0 ? 0 : busbw_ / rows_;
  out_ << fmt::format("# Out of bounds values : {} {}\n", failed_, failed_ == 0 ? "OK" : "FAILED")
       << fmt::format("# Avg bus bandwidth    : {:.6g} \n#\n", mean)
       << fmt::format("# Collective test concluded: {}\n",
                      nccl_tests_program(head_.collective.kind));
}

}  // namespace railyard::collectives

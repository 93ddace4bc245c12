#include "collectives/formats/traces/kineto_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "collectives/formats/traces/fold_programs.hpp"
#include "collectives/formats/traces/kineto_collective.hpp"
#include "collectives/formats/traces/kineto_order.hpp"
#include "collectives/formats/traces/kineto_trace.hpp"
#include "collectives/formats/traces/traced_ranks.hpp"
#include "collectives/workload/program_builder.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

/// "volta_sgemm_128x64_nn" of a kernel's full name: without return type, templates and arguments.
std::string_view short_name(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  // "(anonymous namespace)" is a part of the name, not its arguments.
  std::size_t end = name.find('<');
  constexpr std::string_view kAnonymous = "(anonymous";
  for (std::size_t at = name.find('('); at != std::string_view::npos; at = name.find('(', at + 1)) {
    if (name.substr(at).starts_with(kAnonymous)) continue;
    end = std::min(end, at);
    break;
  }
  constexpr std::size_t kLongest = 80;
  return name.substr(0, std::min(end, kLongest));
}

/// Counts over all traces.
struct Counts {
  std::uint64_t nccl = 0;
  std::uint64_t annotated = 0;  ///< NCCL kernels whose size is in an annotation
  std::uint64_t whole_job = 0;  ///< ... without a group
  std::uint64_t kept = 0;       ///< ... that keep their recorded time
  std::uint64_t uneven = 0;
  std::uint64_t aligned = 0;  ///< all_to_all whose ranks recorded different sizes
  std::uint64_t recorded_waits = 0, inferred_waits = 0, contradicted = 0, without_launch = 0;
  std::uint64_t damaged = 0;
  std::set<std::string> kept_reasons;
};

/// Makes the program of one trace.
class TraceProgram {
 public:
  TraceProgram(const KinetoTrace& trace, std::uint32_t rank, const TracedRanks& ranks,
               FamilyTable& families, NameTable& names, const TraceImport& import, Counts& counts)
      : trace_(trace),
        rank_(rank),
        ranks_(ranks),
        families_(families),
        builder_(names),
        import_(import),
        counts_(counts),
        annotations_(trace) {
    for (const KinetoCall& call : trace.calls)
      if (call.correlation >= 0) calls_.emplace(call.correlation, &call);
    std::set<std::int64_t> devices;
    for (const KinetoGpuEvent& event : trace.gpu) devices.insert(event.device);
    has_devices_ = devices.size() > 1;
  }

  Program build(Time& recorded) {
    const KinetoOrder order = order_of_kineto(trace_);
    recorded = Time::nanoseconds(order.end - order.begin);
    counts_.recorded_waits += order.recorded_waits;
    counts_.inferred_waits += order.inferred_waits;
    counts_.contradicted += order.contradicted;
    counts_.without_launch += order.without_launch;
    counts_.damaged += trace_.damaged;
    const std::uint16_t host = builder_.stream("host");
    std::vector<std::uint32_t> operation_of_step;
    std::vector<Dependency> after;
    for (const KinetoStep& step : order.steps) {
      after.clear();
      for (const std::uint32_t other : step.after) after.push_back({operation_of_step[other]});
      const Time delay = Time::nanoseconds(step.delay);
      if (step.gpu == KinetoStep::kHost) {
        operation_of_step.push_back(
            builder_.add(trace_.calls[step.call].name,
                         {.kind = OperationKind::host, .stream = host, .duration = delay}, after));
      } else {
        operation_of_step.push_back(add_event(trace_.gpu[step.gpu], delay, after));
      }
    }
    return builder_.take();
  }

 private:
  std::uint32_t add_event(const KinetoGpuEvent& event, Time delay,
                          const std::vector<Dependency>& after) {
    const std::uint16_t stream =
        builder_.stream(has_devices_ ? fmt::format("gpu {} stream {}", event.device, event.stream)
                                     : fmt::format("stream {}", event.stream));
    Operation operation = event.is_nccl ? nccl(event) : Operation{};
    if (!is_communication(operation.kind)) {
      operation = {.kind = event.type == KinetoType::kernel && !event.is_nccl
                               ? OperationKind::compute
                               : OperationKind::copy,
                   .duration = Time::nanoseconds(event.span.end - event.span.begin)};
    }
    operation.stream = stream;
    if (delay == Time()) return builder_.add(short_name(event.name), operation, after);
    builder_.add("launch", {.kind = OperationKind::host, .stream = stream, .duration = delay},
                 after);
    return builder_.add(short_name(event.name), operation, std::span<const Dependency>());
  }

  /// The kernel as a collective or message; as computation if it keeps its recorded time.
  Operation nccl(const KinetoGpuEvent& event) {
    ++counts_.nccl;
    if (import_.keeps_recorded) return {};
    KinetoCollective found = event.collective;
    if (found.name.empty() || (found.elements_in < 0 && found.elements_out < 0)) {
      if (const KinetoCollective* said = annotation_of(event)) {
        found = *said;
        ++counts_.annotated;
      }
    }
    const auto group = group_of(found);
    if (found.name.empty() || found.type.empty()) return keep("no size in the trace");
    if (found.name == "send" || found.name == "recv") return message(found, group);
    const auto kind = kind_of_torch(found.name);
    if (!kind) return keep(fmt::format("'{}' is not a collective that is modelled", found.name));
    if (group.size() < 2) return keep("a group of one rank");
    const auto bytes = bytes_of_kineto(found, *kind, group.size());
    if (!bytes)
      return keep(size_of_torch_type(found.type) ? "no size in the trace"
                                                 : fmt::format("unknown type '{}'", found.type));
    if (found.is_uneven) ++counts_.uneven;
    return {.kind = OperationKind::collective,
            .collective = *kind,
            .family = family(found, group),
            .bytes = *bytes};
  }

  Operation keep(std::string reason) {
    ++counts_.kept;
    counts_.kept_reasons.insert(std::move(reason));
    return {};
  }

  [[nodiscard]] const KinetoCollective* annotation_of(const KinetoGpuEvent& event) const {
    const auto call = calls_.find(event.correlation);
    if (call == calls_.end()) return nullptr;
    return annotations_.find(call->second->thread, call->second->span.begin);
  }

  /// The ranks of a collective's group; all ranks if the trace has no group.
  std::vector<std::uint32_t> group_of(const KinetoCollective& found) {
    if (!found.ranks.empty()) return found.ranks;
    for (const KinetoGroup& group : trace_.groups)
      if (group.name == found.group && !group.ranks.empty()) return group.ranks;
    if (const auto given = import_.groups.find(found.group);
        !found.group.empty() && given != import_.groups.end())
      return given->second;
    if (found.group_size >= 0 && found.group_size != ranks_.world()) return {};
    ++counts_.whole_job;
    std::vector<std::uint32_t> all(ranks_.world());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  std::uint32_t family(const KinetoCollective& found, const std::vector<std::uint32_t>& group) {
    const auto fail = [&](const std::string& what) -> std::uint32_t {
      throw InputError(trace_.file, fmt::format("collective '{}'", found.name),
                       fmt::format("its process group '{}' {}", found.group, what),
                       "give a trace for each rank");
    };
    if (std::find(group.begin(), group.end(), rank_) == group.end())
      return fail(fmt::format("does not hold rank {}", rank_));
    try {
      return families_.family(found.group, group);
    } catch (const std::invalid_argument& error) {
      return fail(error.what());
    }
  }

  Operation message(const KinetoCollective& found, const std::vector<std::uint32_t>& group) {
    if (!ranks_.is_complete()) return keep("a message of which only one side has a trace");
    const bool sends = found.name == "send";
    const std::int64_t peer = sends ? found.destination : found.source;
    const auto size = size_of_torch_type(found.type);
    const std::int64_t elements = std::max(found.elements_in, found.elements_out);
    if (peer < 0 || peer >= static_cast<std::int64_t>(group.size()) || !size || elements < 0)
      return keep("a message without its size or peer");
    return {.kind = sends ? OperationKind::send : OperationKind::receive,
            .family = family(found, group),
            .peer = static_cast<std::int32_t>(peer),
            .bytes = Bytes(elements * *size)};
  }

  const KinetoTrace& trace_;
  std::uint32_t rank_;
  const TracedRanks& ranks_;
  FamilyTable& families_;
  ProgramBuilder builder_;
  const TraceImport& import_;
  Counts& counts_;
  AnnotationIndex annotations_;
  std::map<std::int64_t, const KinetoCall*> calls_;
  bool has_devices_ = false;
};

/// Sets the size of each all_to_all to the largest size among its ranks, because ranks record
/// different sizes if they send unequal amounts. Returns the number of such all_to_alls.
std::uint64_t align_exchanges(std::vector<Program>& programs) {
  // Of a family: the k-th collective of each program.
  std::map<std::uint32_t, std::vector<std::vector<Operation*>>> meetings;
  for (Program& program : programs) {
    std::map<std::uint32_t, std::size_t> count;
    for (Operation& operation : program.operations) {
      if (operation.kind != OperationKind::collective) continue;
      auto& of_family = meetings[operation.family];
      const std::size_t number = count[operation.family]++;
      if (number == of_family.size()) of_family.emplace_back();
      of_family[number].push_back(&operation);
    }
  }
  std::uint64_t changed = 0;
  for (auto& [family, of_family] : meetings) {
    for (const std::vector<Operation*>& sides : of_family) {
      Bytes most;
      bool differs = false, exchanges = true;
      for (const Operation* side : sides) {
        most = std::max(most, side->bytes);
        differs = differs || side->bytes != sides.front()->bytes;
        exchanges = exchanges && side->collective == Kind::all_to_all;
      }
      if (!differs || !exchanges) continue;
      ++changed;
      for (Operation* side : sides) side->bytes = most;
    }
  }
  return changed;
}

/// The rank in a file name: the number after "rank", as profilers write it.
std::optional<std::uint32_t> rank_in_name(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  const std::size_t at = name.find("rank");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digit = name.find_first_of("0123456789", at);
  if (digit == std::string::npos || digit > at + 5) return std::nullopt;
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(name.data() + digit, name.data() + name.size(), rank);
  return error == std::errc() ? std::optional(rank) : std::nullopt;
}

std::vector<std::string> notes_of(const Counts& counts, const TracedRanks& ranks,
                                  const TraceImport& import) {
  std::vector<std::string> notes;
  const auto add = [&](std::uint64_t count, std::string_view text) {
    if (count > 0) notes.push_back(fmt::format(fmt::runtime(text), count));
  };
  if (!ranks.is_complete()) notes.push_back(ranks.note());
  if (import.keeps_recorded)
    add(counts.nccl, "{} NCCL kernels take their recorded time, waits for other ranks included");
  add(counts.annotated, "{} NCCL kernels have their size from the annotation of their launch");
  add(counts.whole_job, "{} NCCL kernels have no process group: all ranks are assumed");
  add(counts.uneven, "{} all_to_all split unevenly: they run with even splits");
  add(counts.aligned,
      "{} all_to_all have different sizes on their ranks: they run with the largest");
  if (counts.kept > 0)
    notes.push_back(fmt::format("{} NCCL kernels keep their recorded time: {}", counts.kept,
                                fmt::join(counts.kept_reasons, "; ")));
  add(counts.recorded_waits, "{} waits between streams are those that the profiler recorded");
  add(counts.inferred_waits,
      "{} waits between streams are inferred from calls and times (the profiler recorded none)");
  add(counts.contradicted, "{} waits are left out: the recorded times contradict them");
  add(counts.without_launch, "{} GPU events have no launch in the trace");
  add(counts.damaged, "{} GPU events without time or stream are left out");
  return notes;
}

}  // namespace

ImportedWorkload workload_of_kineto(std::span<const std::string> files, const TraceImport& import) {
  std::map<std::uint32_t, KinetoTrace> traces;
  for (const std::string& file : files) {
    KinetoTrace trace = read_kineto(file);
    const auto known = trace.rank ? trace.rank : rank_in_name(file);
    if (!known && files.size() > 1)
      throw InputError(file, "/distributedInfo/rank", "is missing",
                       "write the rank into the name of the file: rank0.json");
    const std::uint32_t rank = known.value_or(0);
    if (!traces.try_emplace(rank, std::move(trace)).second)
      throw InputError(file, "", fmt::format("is a second trace of rank {}", rank));
  }
  std::uint32_t world = traces.rbegin()->first + 1;
  for (const auto& [rank, trace] : traces) world = std::max(world, trace.world_size.value_or(0));
  world = import.world.value_or(world);
  if (traces.rbegin()->first >= world)
    throw InputError(
        traces.rbegin()->second.file, "",
        fmt::format("is of rank {}, and the job has {} ranks", traces.rbegin()->first, world));

  std::vector<std::uint32_t> traced;
  for (const auto& [rank, trace] : traces) traced.push_back(rank);
  const TracedRanks ranks(std::move(traced), world);
  FamilyTable families(ranks);
  NameTable names;
  Counts counts;
  Time recorded;
  Workload::Parts parts{
      .ranks = world, .names = {}, .families = {}, .programs = {}, .roles = ranks.roles()};
  for (const auto& [rank, trace] : traces) {
    Time of_rank;
    parts.programs.push_back(
        TraceProgram(trace, rank, ranks, families, names, import, counts).build(of_rank));
    recorded = std::max(recorded, of_rank);
  }
  counts.aligned = align_exchanges(parts.programs);
  parts.names = names.names();
  parts.families = families.take();
  fold_programs(parts);
  return {.workload = Workload(std::move(parts)),
          .format = "kineto",
          .notes = notes_of(counts, ranks, import),
          .recorded = recorded};
}

}  // namespace railyard::collectives

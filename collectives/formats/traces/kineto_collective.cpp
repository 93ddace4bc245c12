#include "collectives/formats/traces/kineto_collective.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

namespace railyard::collectives {

std::optional<std::int64_t> size_of_torch_type(std::string_view type) {
  using Size = std::pair<std::string_view, std::int64_t>;
  // c10/core/ScalarType.h, and the C++ names that older profilers write.
  static constexpr std::array kSizes{Size{"Float", 4},
                                     Size{"float", 4},
                                     Size{"Half", 2},
                                     Size{"c10::Half", 2},
                                     Size{"BFloat16", 2},
                                     Size{"c10::BFloat16", 2},
                                     Size{"Double", 8},
                                     Size{"double", 8},
                                     Size{"Long", 8},
                                     Size{"long int", 8},
                                     Size{"long", 8},
                                     Size{"Int", 4},
                                     Size{"int", 4},
                                     Size{"Short", 2},
                                     Size{"short", 2},
                                     Size{"Char", 1},
                                     Size{"signed char", 1},
                                     Size{"Byte", 1},
                                     Size{"unsigned char", 1},
                                     Size{"Bool", 1},
                                     Size{"bool", 1},
                                     Size{"ComplexFloat", 8},
                                     Size{"c10::complex<float>", 8}};
  for (const Size& known : kSizes)
    if (known.first == type) return known.second;
  if (type.starts_with("Float8_") || type.starts_with("c10::Float8_")) return 1;
  return std::nullopt;
}

std::optional<Kind> kind_of_torch(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  using Part = std::pair<std::string_view, Kind>;
  static constexpr std::array kParts{
      Part{"reducescatter", Kind::reduce_scatter}, Part{"allreduce", Kind::all_reduce},
      Part{"barrier", Kind::all_reduce},           Part{"allgather", Kind::all_gather},
      Part{"alltoall", Kind::all_to_all},          Part{"broadcast", Kind::broadcast}};
  for (const Part& part : kParts)
    if (plain.find(part.first) != std::string::npos) return part.second;
  if (plain == "reduce" || plain == "reduceoop") return Kind::reduce;
  return std::nullopt;
}

std::optional<Bytes> bytes_of_kineto(const KinetoCollective& collective, Kind kind,
                                     std::size_t ranks) {
  const auto size = size_of_torch_type(collective.type);
  if (!size) return std::nullopt;
  std::int64_t elements = collective.elements_in;
  if (kind == Kind::all_gather) {
    elements = collective.elements_out;
    if (elements < 0 && collective.elements_in >= 0)
      elements = collective.elements_in * static_cast<std::int64_t>(ranks);
  } else if (elements < 0) {
    elements = collective.elements_out;
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 46;
  if (elements < 0 || elements > kMost) return std::nullopt;
  return Bytes(elements * *size);
}

AnnotationIndex::AnnotationIndex(const KinetoTrace& trace) {
  for (const KinetoAnnotation& annotation : trace.annotations) sorted_.push_back(&annotation);
  std::stable_sort(
      sorted_.begin(), sorted_.end(), [](const KinetoAnnotation* a, const KinetoAnnotation* b) {
        return std::pair(a->thread, a->span.begin) < std::pair(b->thread, b->span.begin);
      });
}

const KinetoCollective* AnnotationIndex::find(std::int64_t thread, std::int64_t at) const {
  auto behind = std::upper_bound(
      sorted_.begin(), sorted_.end(), std::pair(thread, at),
      [](const std::pair<std::int64_t, std::int64_t>& wanted, const KinetoAnnotation* annotation) {
        return wanted < std::pair(annotation->thread, annotation->span.begin);
      });
  // Annotations nest a few levels deep (c10d's own in FSDP's); those before have ended.
  constexpr int kMostLevels = 8;
  for (int level = 0; level < kMostLevels && behind != sorted_.begin(); ++level) {
    --behind;
    if ((*behind)->thread != thread) return nullptr;
    if ((*behind)->span.end >= at) return &(*behind)->collective;
  }
  return nullptr;
}

}  // namespace railyard::collectives

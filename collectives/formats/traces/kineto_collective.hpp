#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/formats/traces/kineto_trace.hpp"
#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// The size in bytes of a PyTorch type: "Float", "c10::BFloat16", "long int".
[[nodiscard]] std::optional<std::int64_t> size_of_torch_type(std::string_view type);

/// The kind of a PyTorch collective: "_allgather_base", "reduce_scatter_tensor_coalesced". Nothing
/// for messages and unknown names.
[[nodiscard]] std::optional<Kind> kind_of_torch(std::string_view name);

/// The bytes of a collective (as in Collective) over a group of `ranks`; nothing if the event does
/// not contain them.
[[nodiscard]] std::optional<Bytes> bytes_of_kineto(const KinetoCollective& collective, Kind kind,
                                                   std::size_t ranks);

/// Finds the innermost annotation of a host thread at a time.
class AnnotationIndex {
 public:
  explicit AnnotationIndex(const KinetoTrace& trace);
  [[nodiscard]] const KinetoCollective* find(std::int64_t thread, std::int64_t at) const;

 private:
  std::vector<const KinetoAnnotation*> sorted_;  ///< by thread and begin
};

}  // namespace railyard::collectives

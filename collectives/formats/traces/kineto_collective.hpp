#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/formats/traces/kineto_trace.hpp"
#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Bytes of an element of a PyTorch type: "Float", "c10::BFloat16", "long int".
[[nodiscard]] std::optional<std::int64_t> size_of_torch_type(std::string_view type);

/// The kind that PyTorch means: "_allgather_base", "reduce_scatter_tensor_coalesced". Nothing for
/// messages and names that it does not have.
[[nodiscard]] std::optional<Kind> kind_of_torch(std::string_view name);

/// The bytes of a collective (as in Collective) over a group of `ranks`; nothing where the event
/// does not say.
[[nodiscard]] std::optional<Bytes> bytes_of_kineto(const KinetoCollective& collective, Kind kind,
                                                   std::size_t ranks);

/// The annotation of a host thread whose span holds a moment: the innermost.
class AnnotationIndex {
 public:
  explicit AnnotationIndex(const KinetoTrace& trace);
  [[nodiscard]] const KinetoCollective* find(std::int64_t thread, std::int64_t at) const;

 private:
  std::vector<const KinetoAnnotation*> sorted_;  ///< by thread and begin
};

}  // namespace railyard::collectives

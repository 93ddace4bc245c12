#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace railyard::collectives {

/// The collective of an event. A negative number or an empty text means that the event does not
/// contain the value.
struct KinetoCollective {
  std::string name;  ///< "allreduce", "_allgather_base", "send"
  std::int64_t elements_in = -1, elements_out = -1;
  std::string type;   ///< "Float", "BFloat16"
  std::string group;  ///< process group
  std::vector<std::uint32_t> ranks;
  std::int64_t group_size = -1;
  std::int64_t source = -1, destination = -1;  ///< ranks of a message
  bool is_uneven = false;                      ///< an all_to_all that splits unevenly
};

/// A span of time in nanoseconds, from the trace's zero on.
struct KinetoSpan {
  std::int64_t begin = 0, end = 0;
};

enum class KinetoType : std::uint8_t { kernel, copy, set };

/// Something that a GPU did.
struct KinetoGpuEvent {
  std::string name;
  KinetoSpan span;
  std::int64_t device = 0, stream = 0;
  std::int64_t correlation = -1;
  std::int64_t bytes = -1;  ///< of copies
  KinetoType type = KinetoType::kernel;
  bool is_nccl = false;
  KinetoCollective collective;  ///< of an NCCL kernel
};

/// A call of the CUDA runtime or driver.
struct KinetoCall {
  std::string name;
  KinetoSpan span;
  std::int64_t thread = 0;
  std::int64_t correlation = -1;
};

/// An event of a host thread that names a collective.
struct KinetoAnnotation {
  KinetoSpan span;
  std::int64_t thread = 0;
  KinetoCollective collective;
};

/// A wait of a stream or of the host, from newer profilers ("cat": "cuda_sync").
struct KinetoWait {
  std::string name;                ///< "Stream Wait Event", "Context Sync", ...
  std::int64_t correlation = -1;   ///< of the call that waits
  std::int64_t stream = -1;        ///< that waits
  std::int64_t other_stream = -1;  ///< that it waits for
  std::int64_t record = -1;        ///< correlation of the call that recorded the event
};

struct KinetoGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// What a PyTorch profiler (Kineto) trace holds of one rank.
struct KinetoTrace {
  std::string file;
  std::optional<std::uint32_t> rank, world_size;
  std::vector<KinetoGroup> groups;
  std::vector<KinetoGpuEvent> gpu;  ///< all lists: in the order of the file
  std::vector<KinetoCall> calls;
  std::vector<KinetoAnnotation> annotations;
  std::vector<KinetoWait> waits;
  std::uint64_t events = 0;   ///< of the file
  std::uint64_t unread = 0;   ///< complete events of categories that are not read
  std::uint64_t damaged = 0;  ///< events of the GPU without begin, duration or stream
};

/// Reads a trace, plain or gzip. Throws InputError with file, line and column for text that is not
/// JSON, deeper than 64 levels, with more than 50 million events or without any of a GPU.
[[nodiscard]] KinetoTrace read_kineto(const std::string& file);

}  // namespace railyard::collectives

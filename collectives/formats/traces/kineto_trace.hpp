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
  std::int64_t source = -1, destination = -1;  ///< messages: ranks
  bool is_uneven = false;                      ///< an all_to_all that splits unevenly
};

/// A time span in nanoseconds since the start of the trace.
struct KinetoSpan {
  std::int64_t begin = 0, end = 0;
};

enum class KinetoType : std::uint8_t { kernel, copy, set };

/// A kernel, copy or memset on a GPU.
struct KinetoGpuEvent {
  std::string name;
  KinetoSpan span;
  std::int64_t device = 0, stream = 0;
  std::int64_t correlation = -1;
  std::int64_t bytes = -1;  ///< copies: size
  KinetoType type = KinetoType::kernel;
  bool is_nccl = false;
  KinetoCollective collective;  ///< NCCL kernels: the collective
};

/// A call of the CUDA runtime or driver.
struct KinetoCall {
  std::string name;
  KinetoSpan span;
  std::int64_t thread = 0;
  std::int64_t correlation = -1;
};

/// A host event that describes a collective.
struct KinetoAnnotation {
  KinetoSpan span;
  std::int64_t thread = 0;
  KinetoCollective collective;
};

/// A wait of a stream or of the host, from newer profilers ("cat": "cuda_sync").
struct KinetoWait {
  std::string name;                ///< "Stream Wait Event", "Context Sync", ...
  std::int64_t correlation = -1;   ///< of the waiting call
  std::int64_t stream = -1;        ///< the waiting stream
  std::int64_t other_stream = -1;  ///< the stream that it waits for
  std::int64_t record = -1;        ///< correlation of the call that recorded the event
};

struct KinetoGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
};

/// The contents of a PyTorch profiler (Kineto) trace of one rank.
struct KinetoTrace {
  std::string file;
  std::optional<std::uint32_t> rank, world_size;
  std::vector<KinetoGroup> groups;
  std::vector<KinetoGpuEvent> gpu;  ///< lists are in the order of the file
  std::vector<KinetoCall> calls;
  std::vector<KinetoAnnotation> annotations;
  std::vector<KinetoWait> waits;
  std::uint64_t events = 0;   ///< number in the file
  std::uint64_t unread = 0;   ///< complete events of other categories
  std::uint64_t damaged = 0;  ///< GPU events without begin, duration or stream
};

/// Reads a trace, plain or gzip. Throws InputError with file, line and column for text that is not
/// JSON, is nested in more than 64 levels, has more than 50 million events, or no GPU events.
[[nodiscard]] KinetoTrace read_kineto(const std::string& file);

}  // namespace railyard::collectives

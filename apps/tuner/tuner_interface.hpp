#pragma once

#include <cstddef>
#include <cstdint>

/// The part of NCCL's tuner plugin interface (versions 4 to 7, src/include/plugin/tuner) that this
/// plugin needs. NCCL loads the library and looks up the structures below by name, the newest
/// supported version first (2.32: ncclTunerPlugin_v7).
namespace railyard::apps::tuner {

/// ncclResult_t (nccl.h).
enum Result : int { success = 0, internal_error = 3, invalid_usage = 5 };

/// ncclFunc_t (nccl_common.h): the order of NCCL's tables.
enum Function : int {
  broadcast = 0,
  reduce = 1,
  all_gather = 2,
  reduce_scatter = 3,
  all_reduce = 4,
};

/// ncclDebugLogLevel and the subsystem NCCL_TUNING (nccl_common.h).
enum LogLevel : int { log_warn = 2, log_info = 3 };
inline constexpr unsigned long kTuning = 0x200;
using Logger = void (*)(int level, unsigned long flags, const char* file, int line,
                        const char* format, ...);

/// Cost of an algorithm and protocol that NCCL cannot use (NCCL_ALGO_PROTO_IGNORE).
inline constexpr float kIgnored = -1.0f;

/// `costs` is a table of floats, `algorithms` x `protocols` in NCCL's order, in us. `channels` = 0:
/// NCCL selects their number.
using GetCollectiveInfo = Result (*)(void* context, int function, std::size_t bytes,
                                     int pipelined_ops, float** costs, int algorithms,
                                     int protocols, int registered, int* channels);

/// Version 4 (tuner_v4.h).
struct TunerV4 {
  const char* name;
  Result (*init)(std::size_t ranks, std::size_t nodes, Logger log, void** context);
  GetCollectiveInfo get_collective_info;
  Result (*destroy)(void* context);
};

/// Version 5 (tuner_v5.h).
struct TunerV5 {
  const char* name;
  Result (*init)(void** context, std::uint64_t communicator, std::size_t ranks, std::size_t nodes,
                 Logger log, void* nvlink_domain, void* constants);
  GetCollectiveInfo get_collective_info;
  Result (*finalize)(void* context);
};

/// A function that may change NCCL's chunk size for a choice.
using GetChunkSize = Result (*)(void* context, int function, std::size_t bytes, int algorithm,
                                int protocol, int channels, std::size_t* chunk);

/// Versions 6 (tuner_v6.h) and 7 (tuner_v7.h). They differ only in the number of GPU generations in
/// `constants`: the fifth is Rubin.
struct TunerV6 {
  const char* name;
  Result (*init)(void** context, std::uint64_t communicator, std::size_t ranks, std::size_t nodes,
                 Logger log, void* nvlink_domain, void* constants);
  GetCollectiveInfo get_collective_info;
  Result (*finalize)(void* context);
  GetChunkSize get_chunk_size;  ///< nullptr: NCCL's chunk size
};

}  // namespace railyard::apps::tuner

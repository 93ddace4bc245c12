#pragma once

#include <cstddef>
#include <functional>

namespace railyard::core {

/// The number of threads to use: `wanted`, or one per core that this process may use if it is 0.
[[nodiscard]] int thread_count(int wanted);

/// Calls work(index, worker) once for each index below `count`. Up to `threads` threads, one of
/// which is the calling thread, take the indices in ascending order. `worker` is the number of the
/// thread, from 0. If the system cannot start all threads, fewer are used.
///
/// If calls throw, the exception of the lowest index is rethrown after all threads have stopped.
/// All lower indices have then run, so this exception does not depend on the number of threads.
/// Some higher indices are not run.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t index, std::size_t worker)>& work);

}  // namespace railyard::core

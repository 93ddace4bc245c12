#pragma once

#include <cstddef>
#include <functional>

namespace railyard::core {

/// How many threads to use where `wanted` were asked for: 0 is one per core that this process may
/// run on.
[[nodiscard]] int thread_count(int wanted);

/// Calls work(index, worker) once for each index below `count`, in rising order of index but on up
/// to `threads` threads at once, the calling one among them; `worker` numbers them from 0. Threads
/// that the system refuses to start are done without.
///
/// Where calls throw, what the lowest index threw is thrown here after all threads have stopped:
/// every lower index has run then, so which it is does not depend on the number of threads. Of the
/// higher ones some are left out.
void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t index, std::size_t worker)>& work);

}  // namespace railyard::core

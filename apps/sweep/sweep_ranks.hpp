#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apps/cli/context.hpp"
#include "core/sweep/hand_out.hpp"
#include "core/sweep/outcome.hpp"
#include "hw/world/reception.hpp"
#include "hw/world/world.hpp"

namespace railyard::apps {

/// Rank 0's side of a sweep over several ranks. Ranks connect over TCP, apart from MPI, so that one
/// that dies ends nobody else: a thread per connection asks for points and hands out theirs. Texts:
///   rank to 0   "TOKEN RANK", then an outcome per point ("!" and a reason where it cannot run it)
///   0 to rank   "POINT DIGEST" per point, then "end"
class RankServer {
 public:
  struct Calls {
    std::function<std::string(std::size_t point)> digest;
    std::function<void(std::size_t point, core::sweep::Outcome outcome)> done;
    std::function<void(const std::string& text)> note;
  };
  /// Listens. `connections`: how many will come.
  RankServer(const hw::World& world, std::size_t connections, core::sweep::HandOut& points,
             Calls calls);
  ~RankServer();
  RankServer(const RankServer&) = delete;
  RankServer& operator=(const RankServer&) = delete;

  /// "TOKEN PORT ADDRESS..." for the ranks.
  [[nodiscard]] std::string invitation() const;
  void start();
  /// Waits until all points are done and the ranks were told.
  void finish();

 private:
  void welcome();
  void serve(const hw::TcpLink& link, const std::string& name);
  bool ask(const hw::TcpLink& link, const std::string& name, std::size_t point);

  std::string token_;
  std::vector<std::string> addresses_, names_;
  std::size_t connections_;
  core::sweep::HandOut& points_;
  Calls calls_;
  hw::Reception reception_;
  std::atomic<bool> ends_{false};
  std::thread door_;
  std::vector<std::thread> servants_;
};

/// What a rank other than 0 runs for a point, and what it calls its inputs.
struct RankWork {
  std::function<core::sweep::Outcome(std::size_t point)> run;
  std::function<std::string(std::size_t point)> digest;
};

/// A rank's side: connects to rank 0 and runs its points on `threads` threads. Throws BackendError
/// where rank 0 cannot be reached or is gone.
void work_for_rank_zero(const std::string& invitation, std::uint32_t rank, int threads,
                        const RankWork& work);

}  // namespace railyard::apps

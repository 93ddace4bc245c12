#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fake {

/// What a stream does, in order, on a thread of its own. While it is captured, work goes into a
/// list instead.
class Stream {
 public:
  using Work = std::function<void()>;
  Stream();
  ~Stream();
  void add(Work work);
  [[nodiscard]] bool is_dry();
  void begin_capture();
  [[nodiscard]] std::vector<Work> end_capture();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::vector<Work> captured_;
  bool captures_ = false;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace fake

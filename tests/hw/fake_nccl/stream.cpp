#include "tests/hw/fake_nccl/stream.hpp"

namespace fake {

Stream::Stream() : thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::add(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (captures_) {
      captured_.push_back(std::move(work));
      return;
    }
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

bool Stream::is_dry() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

void Stream::begin_capture() {
  const std::lock_guard lock(mutex_);
  captures_ = true;
  captured_.clear();
}

std::vector<Stream::Work> Stream::end_capture() {
  const std::lock_guard lock(mutex_);
  captures_ = false;
  return std::move(captured_);
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    const Work work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
  }
}

}  // namespace fake

#pragma once

namespace railyard::apps {

/// Catches ctrl-C during its lifetime if `catches`; a second ctrl-C ends the program. If nested,
/// the outermost one catches it.
class Interruptible {
 public:
  explicit Interruptible(bool catches = true);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool catches_;
  void (*before_)(int) = nullptr;
};

/// Whether ctrl-C was pressed since the outermost Interruptible began.
[[nodiscard]] bool was_interrupted();

}  // namespace railyard::apps

#pragma once

namespace railyard::apps {

/// Catches ctrl-C for as long as it lives, where it shall; inside another one, that one does.
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

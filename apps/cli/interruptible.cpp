#include "apps/cli/interruptible.hpp"

#include <csignal>

namespace railyard::apps {
namespace {

// Set by ctrl-C while a search runs; a signal handler may write nothing else.
volatile std::sig_atomic_t was_pressed = 0;
// How many Interruptibles live: the outermost one catches.
int depth = 0;

}  // namespace

Interruptible::Interruptible(bool catches) : catches_(catches) {
  if (!catches || depth++ > 0) return;
  before_ = std::signal(SIGINT, [](int) {
    // What does not stop at the first one ends at the second.
    if (was_pressed != 0) std::signal(SIGINT, SIG_DFL);
    if (was_pressed != 0) std::raise(SIGINT);
    was_pressed = 1;
  });
  was_pressed = 0;
}

Interruptible::~Interruptible() {
  if (catches_ && --depth == 0) std::signal(SIGINT, before_);
}

bool was_interrupted() { return was_pressed != 0; }

}  // namespace railyard::apps

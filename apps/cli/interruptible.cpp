#include "apps/cli/interruptible.hpp"

#include <csignal>

namespace railyard::apps {
namespace {

// Set by ctrl-C; a signal handler may write only this type.
volatile std::sig_atomic_t was_pressed = 0;
// Number of active Interruptibles; the outermost one catches the signal.
int depth = 0;

}  // namespace

Interruptible::Interruptible(bool catches) : catches_(catches) {
  if (!catches || depth++ > 0) return;
  before_ = std::signal(SIGINT, [](int) {
    // The second ctrl-C ends the program.
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

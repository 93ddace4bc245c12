#include "apps/place/interruptible.hpp"

#include <fmt/format.h>

#include <csignal>
#include <ostream>

namespace railyard::apps {
namespace {

// Set by ctrl-C while a search runs; a signal handler may write nothing else.
volatile std::sig_atomic_t interrupted = 0;
// How many Interruptibles live: the outermost one catches.
int depth = 0;

}  // namespace

Interruptible::Interruptible(bool catches) : catches_(catches) {
  if (!catches || depth++ > 0) return;
  before_ = std::signal(SIGINT, [](int) { interrupted = 1; });
  interrupted = 0;
}

Interruptible::~Interruptible() {
  if (catches_ && --depth == 0) std::signal(SIGINT, before_);
}

bool was_interrupted() { return interrupted != 0; }

void note(Provenance& provenance, Context& context, std::string text) {
  print_note(context, text);
  provenance.notes.push_back(std::move(text));
}

placement::SearchWatch search_watch(Provenance& provenance, Context& context) {
  return {.note = [&](std::string text) { note(provenance, context, std::move(text)); },
          .remark = [&](const std::string& text) { print_note(context, text); },
          .keep_going =
              [&](std::string_view what, double done) {
                if (context.err_is_terminal)
                  context.err << fmt::format("\r{} {:3.0f} %\033[K", what, 100 * done)
                              << std::flush;
                return !was_interrupted();
              },
          .finished =
              [&] {
                if (context.err_is_terminal) context.err << "\r\033[K" << std::flush;
              }};
}

}  // namespace railyard::apps

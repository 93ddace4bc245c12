#include "apps/place/search_watch.hpp"

#include <fmt/format.h>

#include <ostream>

#include "apps/cli/interruptible.hpp"

namespace railyard::apps {
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

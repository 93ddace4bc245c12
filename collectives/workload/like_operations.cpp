#include "collectives/workload/like_operations.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace railyard::collectives {
namespace {

/// The fields that `like` copies, except the name.
auto shared(const OperationText& text) {
  return std::tie(text.kind, text.stream, text.duration, text.collective, text.bytes, text.family,
                  text.peer, text.offset, text.root, text.rate_share, text.compute_share);
}

OperationText with_shared(const OperationText& from) {
  return {.kind = from.kind,
          .stream = from.stream,
          .duration = from.duration,
          .collective = from.collective,
          .bytes = from.bytes,
          .family = from.family,
          .peer = from.peer,
          .offset = from.offset,
          .root = from.root,
          .rate_share = from.rate_share,
          .compute_share = from.compute_share};
}

}  // namespace

void compress_likes(ProgramText& program) {
  struct Less {
    bool operator()(const OperationText& a, const OperationText& b) const {
      return shared(a) < shared(b);
    }
  };
  struct Others {
    std::int64_t first = 0;
    std::map<std::tuple<std::string, std::int64_t>, std::int64_t> by_name{};
  };
  std::map<OperationText, Others, Less> known;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    OperationText& text = program.operations[i];
    const auto here = static_cast<std::int64_t>(i);
    const auto [others, is_new] = known.try_emplace(with_shared(text), Others{.first = here});
    const auto [same, is_new_name] =
        others->second.by_name.try_emplace({text.name, text.name_step}, here);
    if (is_new) continue;
    // An operation without a name would inherit the name of the operation that `like` refers to.
    if (is_new_name && text.name.empty()) continue;
    OperationText rest{.like = is_new_name ? others->second.first : same->second,
                       .tag = text.tag,
                       .after = text.after,
                       .after_begin = text.after_begin,
                       .tag_step = text.tag_step,
                       .after_step = text.after_step,
                       .after_begin_step = text.after_begin_step};
    if (is_new_name) {
      rest.name = text.name;
      rest.name_step = text.name_step;
    }
    text = rest;
  }
}

bool expand_likes(ProgramText& program, std::string_view where, Diagnostics& problems) {
  const std::size_t before = problems.size();
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    OperationText& text = program.operations[i];
    if (!text.like) continue;
    const std::int64_t like = *text.like;
    if (like < 0 || like >= static_cast<std::int64_t>(i)) {
      problems.add(fmt::format("{}/operations/{}/like", where, i),
                   fmt::format("operation {} is not an earlier one", like));
      continue;
    }
    const OperationText& other = program.operations[static_cast<std::size_t>(like)];
    const bool is_message =
        other.kind == OperationKind::send || other.kind == OperationKind::receive;
    if (!is_message && text.tag_step != 0)
      problems.add(fmt::format("{}/operations/{}/tag_step", where, i), "only messages have a tag");
    OperationText filled = with_shared(other);
    filled.name = text.name.empty() ? other.name : text.name;
    filled.name_step = text.name.empty() ? other.name_step : text.name_step;
    filled.tag = text.tag;
    filled.after = text.after;
    filled.after_begin = text.after_begin;
    filled.tag_step = text.tag_step;
    filled.after_step = text.after_step;
    filled.after_begin_step = text.after_begin_step;
    text = filled;
  }
  return problems.size() == before;
}

}  // namespace railyard::collectives

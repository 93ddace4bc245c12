#pragma once

#include <string_view>

#include "collectives/workload/workload_fields.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// Most operations of a program differ only in their dependencies. `like` is the index of an
/// earlier entry whose fields an entry copies, except tag, `after`, `after_begin` and steps. An
/// entry with its own name also has its own `name_step`.

/// Replaces equal fields of entries by `like`: the first entry with the same fields and name, or
/// else with the same fields.
void compress_likes(ProgramText& program);

/// The reverse. Returns false, with problems below `where`, if a `like` is not an earlier entry.
bool expand_likes(ProgramText& program, std::string_view where, Diagnostics& problems);

}  // namespace railyard::collectives

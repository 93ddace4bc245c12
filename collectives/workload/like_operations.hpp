#pragma once

#include <string_view>

#include "collectives/workload/workload_fields.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// A compact file format: most operations of a program differ only in their dependencies. An entry
/// with `like` copies the fields of the earlier entry with this index, except tag, `after`,
/// `after_begin` and their steps. An entry with a name of its own also has its own `name_step`.

/// Replaces repeated fields by `like`, which refers to the first entry with the same fields and
/// name or, if there is none, with the same fields.
void compress_likes(ProgramText& program);

/// Reverses compress_likes(). Returns false, and adds problems below `where`, if a `like` does not
/// refer to an earlier entry.
bool expand_likes(ProgramText& program, std::string_view where, Diagnostics& problems);

}  // namespace railyard::collectives

#pragma once

#include <string_view>

#include "collectives/workload/workload_fields.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// Operations of a program mostly differ in what they wait for only. With `like`, the place of an
/// earlier entry of the list, an entry has the fields of that one: all but tag, `after`,
/// `after_begin` and steps. Its own name, if it has one, comes with its own `name_step`.

/// Removes the fields of entries that an earlier one has too. `like` is the first with the same
/// fields and name, else the first with the same fields.
void leave_out_likes(ProgramText& program);

/// The reverse. False, with problems below `where`, if a `like` is not an earlier entry.
bool fill_in_likes(ProgramText& program, std::string_view where, Diagnostics& problems);

}  // namespace railyard::collectives

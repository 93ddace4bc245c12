#pragma once

namespace railyard::apps {

struct PlaceFlags;

/// Throws InputError with every flag that would change nothing beside the others, and the reason.
void refuse_unused(const PlaceFlags& flags);

}  // namespace railyard::apps

#pragma once

namespace railyard::apps {

struct PlaceFlags;

/// Throws InputError with every flag that has no effect with the other flags, and the reason.
void refuse_unused(const PlaceFlags& flags);

}  // namespace railyard::apps

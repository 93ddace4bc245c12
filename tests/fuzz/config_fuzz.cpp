// The reader of config files: any bytes are read or refused with an InputError, and what was read
// is written and read back to the same text.
#include <cstdlib>

#include "core/config/fields.hpp"

namespace railyard {
namespace {

enum class Kind { leaf, spine };

struct Part {
  Bandwidth rate;
  Time latency;
  Bytes buffer;
  double share = 0;
  std::int64_t count = 0;
  Kind kind = Kind::leaf;
  std::optional<std::string> label;
  std::map<std::string, Bytes> sizes;
  std::vector<Part> parts;
};

}  // namespace

template <>
struct core::EnumNames<Kind> {
  static constexpr std::array<std::pair<Kind, std::string_view>, 2> table{
      {{Kind::leaf, "leaf"}, {Kind::spine, "spine"}}};
};

template <>
struct core::Fields<Part> {
  static constexpr std::string_view name = "Part", doc = "A part with every kind of member.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("rate", &Part::rate, core::FieldOptions{.allow_zero = true}, "a rate");
    field("latency", &Part::latency, "a time");
    field("buffer", &Part::buffer, "a size");
    field("share", &Part::share, "a number");
    field("count", &Part::count, "a whole number");
    field("kind", &Part::kind, "a name");
    field("label", &Part::label, "text");
    field("sizes", &Part::sizes, "a map");
    field("parts", &Part::parts, "a list of itself");
  }
};

}  // namespace railyard

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string once = core::write_config(core::read_config_text<Part>(text, "fuzz"), "");
    const std::string twice = core::write_config(core::read_config_text<Part>(once, "fuzz"), "");
    if (once != twice) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}

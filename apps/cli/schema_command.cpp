#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>

#include "apps/cli/commands.hpp"
#include "apps/cli/config_kinds.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct SchemaFlags {
  std::string kind;
  bool docs = false;
};

int run_schema(const SchemaFlags& flags, Context& context) {
  std::vector<std::string_view> names;
  for (const ConfigKind& known : config_kinds()) {
    names.push_back(known.name);
    if (flags.kind.empty()) context.out << known.name << '\n';
    if (flags.kind != known.name) continue;
    const std::string text = flags.docs ? known.docs() : known.schema();
    context.out << text << (text.ends_with('\n') ? "" : "\n");
    return ExitCode::done;
  }
  if (flags.kind.empty()) return ExitCode::done;
  throw InputError("", "KIND", core::unknown_name(flags.kind, names));
}

}  // namespace

RunCommand add_schema(FlagSet app) {
  const auto flags = std::make_shared<SchemaFlags>();
  std::string kinds;
  for (const ConfigKind& known : config_kinds()) {
    const bool is_last = &known == &config_kinds().back();
    kinds += fmt::format("{}{}", kinds.empty() ? "" : is_last ? " or " : ", ", known.name);
  }
  app.add_option("kind", flags->kind,
                 fmt::format("Kind of config file: {} [list the kinds]", kinds))
      .type_name("KIND");
  app.add_flag("--docs", flags->docs,
               "Print tables of the keys as Markdown instead of a JSON Schema");
  app.footer(
      "Prints the JSON Schema of a kind of config file. Editors complete and check a config whose\n"
      "\"$schema\" is such a file (configs/schema).\n"
      "\n"
      "Examples:\n"
      "  railyard schema cluster > cluster.schema.json\n"
      "  railyard schema node --docs");
  return [flags](Context& context) { return run_schema(*flags, context); };
}

}  // namespace railyard::apps

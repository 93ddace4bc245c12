#pragma once

/// Config structs. One declaration per struct provides its reader, its writer, its JSON Schema, its
/// documentation and the "did you mean" hints for misspelt keys. An example:
///
///   enum class Port { qsfp, osfp };
///   struct Nic { Bandwidth rate; Time latency; int ports = 1; Port port = Port::osfp;
///                std::vector<Nic> behind; };
///
///   template <> struct core::EnumNames<Port> {        // core/config/enum_names.hpp
///     static constexpr std::array<std::pair<Port, std::string_view>, 2> table{
///         {{Port::qsfp, "qsfp"}, {Port::osfp, "osfp"}}};
///   };
///   template <> struct core::Fields<Nic> {
///     static constexpr std::string_view name = "Nic", doc = "A network card.";
///     template <class Visitor> static void list(Visitor& field) {
///       field("rate", &Nic::rate, core::required, "rate of a port, per direction");
///       field("latency", &Nic::latency, "from the last bit in to the first bit out");
///       field("ports", &Nic::ports, core::FieldOptions{.minimum = 1, .maximum = 4}, "ports");
///       field("port", &Nic::port, "kind of the ports");
///       field("behind", &Nic::behind, "cards that share its slot");
///     }
///     static void check(const Nic& nic, core::Problems& problems) {  // optional
///       if (nic.ports > 1 && nic.port == Port::osfp) problems.add("ports", "must be 1 on osfp");
///     }
///   };
///
///   Nic nic = core::read_config<Nic>("nic.json");          // throws InputError with all problems
///   Nic same = core::read_config_text<Nic>(text, "nic.json");
///   std::string text = core::write_config(nic, "nic.schema.json");  // "" for no "$schema"
///   std::string schema = core::json_schema<Nic>(), page = core::docs_table<Nic>();
///
/// Both specialisations are placed next to the struct's definition, in namespace railyard. A member
/// can be:
///   bool, an integer, double, std::string, Bytes, Bandwidth, Time;
///   any other type with an AmountForm (core/config/amount_form.hpp), such as Power;
///   an enum with EnumNames, or a struct with Fields;
///   std::optional, std::vector, std::array or std::map<std::string, …> of these.
/// A key that is missing in the file keeps the value of a default-constructed struct, unless it is
/// required. Every object may also contain "$schema" and keys that begin with "//" (comments).

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/config/amount_form.hpp"
#include "core/config/enum_names.hpp"
#include "core/config/field_types.hpp"

namespace railyard::core {

/// The declaration of a config struct's keys; specialise it as in the example above.
template <class T>
struct Fields;

template <class T>
concept Configurable = requires {
  Fields<T>::name;
};

/// The type-erased description of a config struct.
template <Configurable T>
[[nodiscard]] const StructType& struct_type();

template <class M>
[[nodiscard]] FieldTypePointer make_field_type(const FieldOptions& options);

namespace detail {

template <class M>
const M& as(const void* value) {
  return *static_cast<const M*>(value);
}

template <class M>
M& as(void* value) {
  return *static_cast<M*>(value);
}

template <class M>
struct ElementOf {};
template <class U>
struct ElementOf<std::optional<U>> {
  static FieldTypePointer type(const FieldOptions& options) {
    using M = std::optional<U>;
    return optional_type(
        {.get = [](const void* v) -> const void* { return as<M>(v) ? &*as<M>(v) : nullptr; },
         .emplace = [](void* v) -> void* { return &as<M>(v).emplace(); },
         .reset = [](void* v) { as<M>(v).reset(); }},
        make_field_type<U>(options));
  }
};
template <class U>
struct ElementOf<std::vector<U>> {
  static_assert(!std::is_same_v<U, bool>, "std::vector<bool> has no elements to point to");
  static FieldTypePointer type(const FieldOptions& options) {
    using M = std::vector<U>;
    return list_type({.fixed_size = std::nullopt,
                      .size = [](const void* v) { return as<M>(v).size(); },
                      .renew = [](void* v, std::size_t n) { as<M>(v) = M(n); },
                      .at = [](void* v, std::size_t i) -> void* { return &as<M>(v)[i]; }},
                     make_field_type<U>(options), options);
  }
};
template <class U, std::size_t N>
struct ElementOf<std::array<U, N>> {
  static FieldTypePointer type(const FieldOptions& options) {
    using M = std::array<U, N>;
    return list_type({.fixed_size = N,
                      .size = [](const void*) { return N; },
                      .renew = [](void* v, std::size_t) { as<M>(v) = M{}; },
                      .at = [](void* v, std::size_t i) -> void* { return &as<M>(v)[i]; }},
                     make_field_type<U>(options), options);
  }
};
template <class U>
struct ElementOf<std::map<std::string, U>> {
  static FieldTypePointer type(const FieldOptions& options) {
    using M = std::map<std::string, U>;
    return map_type(
        {.clear = [](void* v) { as<M>(v).clear(); },
         .insert = [](void* v, std::string_view key) -> void* {
           return &as<M>(v)[std::string(key)];
         },
         .visit =
             [](const void* v, const std::function<void(const std::string&, const void*)>& visit) {
               for (const auto& [key, held] : as<M>(v)) visit(key, &held);
             }},
        make_field_type<U>(options), options);
  }
};

template <class M>
concept Container = requires {
  ElementOf<M>::type(FieldOptions{});
};

template <std::integral M>
IntegerAccess integer_access() {
  using Limits = std::numeric_limits<M>;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto most = static_cast<std::uint64_t>(Limits::max());
  return {.minimum = static_cast<std::int64_t>(Limits::min()),
          .maximum = static_cast<std::int64_t>(most < kMost ? most : kMost),
          .load = [](const void* v) { return static_cast<std::int64_t>(as<M>(v)); },
          .store = [](void* v, std::int64_t n) { as<M>(v) = static_cast<M>(n); }};
}

template <Amount M>
TextAccess amount_access() {
  using Form = AmountForm<M>;
  return {.what = Form::what,
          .example = Form::example,
          .pattern = Form::pattern(),
          .positive = Form::positive,
          .parse = [](std::string_view text, void* v) -> std::string {
            Parsed<M> parsed = Form::parse(text);
            if (!parsed.value) return std::move(parsed.error);
            as<M>(v) = *parsed.value;
            return {};
          },
          .print = [](const void* v) { return std::string(Form::print(as<M>(v))); },
          .amount = [](const void* v) { return static_cast<double>(Form::amount(as<M>(v))); },
          .amount_unit = Form::amount_unit};
}

template <NamedEnum M>
EnumAccess enum_access() {
  return {.names = enum_names<M>(),
          .load =
              [](const void* v) {
                std::size_t i = 0;
                while (i < EnumNames<M>::table.size() && EnumNames<M>::table[i].first != as<M>(v))
                  ++i;
                return i;
              },
          .store = [](void* v, std::size_t i) { as<M>(v) = EnumNames<M>::table[i].first; }};
}

/// Collects the fields that Fields<T>::list declares.
template <class T>
struct FieldCollector {
  std::vector<Field> fields;

  template <class M, class Owner>
  void operator()(std::string_view name, M Owner::*member, const FieldOptions& options,
                  std::string_view doc) {
    fields.push_back({.name = name,
                      .doc = doc,
                      .required = options.required,
                      .type = make_field_type<M>(options),
                      .member = [member](void* v) -> void* { return &(as<T>(v).*member); }});
  }
  template <class M, class Owner>
  void operator()(std::string_view name, M Owner::*member, std::string_view doc) {
    (*this)(name, member, FieldOptions{}, doc);
  }
};

template <class T>
concept Checked = requires(const T& value, Problems& problems) {
  Fields<T>::check(value, problems);
};

}  // namespace detail

template <class M>
FieldTypePointer make_field_type(const FieldOptions& options) {
  if constexpr (std::is_same_v<M, bool>)
    return boolean_type();
  else if constexpr (std::is_same_v<M, double>)
    return number_type(options);
  else if constexpr (std::is_same_v<M, std::string>)
    return text_type();
  else if constexpr (std::integral<M>)
    return integer_type(detail::integer_access<M>(), options);
  else if constexpr (Amount<M>)
    return amount_type(detail::amount_access<M>(), options);
  else if constexpr (NamedEnum<M>)
    return enum_type(detail::enum_access<M>());
  else if constexpr (Configurable<M>)
    return struct_reference(&struct_type<M>);
  else {
    static_assert(detail::Container<M>, "this type cannot be the member of a config struct");
    return detail::ElementOf<M>::type(options);
  }
}

template <Configurable T>
const StructType& struct_type() {
  static const StructType type = [] {
    detail::FieldCollector<T> collector;
    Fields<T>::list(collector);
    std::function<void(const void*, Problems&)> check;
    if constexpr (detail::Checked<T>)
      check = [](const void* v, Problems& problems) {
        Fields<T>::check(detail::as<T>(v), problems);
      };
    return StructType(Fields<T>::name, Fields<T>::doc, std::move(collector.fields),
                      std::make_shared<const T>(), std::move(check));
  }();
  return type;
}

/// Reads a node into `value`. Members whose keys are missing keep their value. Throws InputError
/// with all problems.
template <Configurable T>
void read_config(const ConfigNode& node, T& value) {
  read_root(node, struct_type<T>(), &value);
}

/// Reads a node into `value` and adds its problems to `problems`.
template <Configurable T>
void read_config(const ConfigNode& node, T& value, Diagnostics& problems) {
  struct_type<T>().read(node, &value, problems);
}

/// Reads a config from text. Errors name `file`. Throws InputError with all problems.
template <Configurable T>
[[nodiscard]] T read_config_text(std::string_view text, std::string file) {
  T value{};
  read_config(ConfigNode::parse(text, std::move(file)), value);
  return value;
}

/// Reads a config file. Throws InputError with all problems.
template <Configurable T>
[[nodiscard]] T read_config(const std::filesystem::path& path) {
  T value{};
  read_config(ConfigNode::read(path), value);
  return value;
}

/// A config text from which the same value can be read. Keys with their default value are omitted
/// unless they are required.
template <Configurable T>
[[nodiscard]] std::string write_config(const T& value, std::string_view schema_uri) {
  return write_root(struct_type<T>(), &value, schema_uri);
}

/// JSON Schema (draft 2020-12) of T.
template <Configurable T>
[[nodiscard]] std::string json_schema() {
  return json_schema(struct_type<T>());
}

/// Markdown tables of the keys of T and of the structs that it contains.
template <Configurable T>
[[nodiscard]] std::string docs_table() {
  return docs_table(struct_type<T>());
}

}  // namespace railyard::core

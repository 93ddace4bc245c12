#include "collectives/formats/traces/chakra_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <unordered_set>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

// Limits the memory that a malicious file can use: 200 bytes per node, 8 bytes per dependency.
constexpr std::uint64_t kMostNodes = 50'000'000;
constexpr std::uint64_t kMostDependencies = 400'000'000;

// Field numbers of Chakra's schema 0.0.4 (et_def.proto).
namespace node_field {
constexpr std::uint32_t kId = 1, kName = 2, kType = 3, kControl = 4, kData = 5, kDuration = 7,
                        kAttribute = 10;
}
namespace attribute_field {
constexpr std::uint32_t kName = 1, kDouble = 3, kFloat = 5, kInt32 = 7, kInt64 = 9, kUint32 = 11,
                        kUint64 = 13, kSint32 = 15, kSint64 = 17, kFixed32 = 19, kFixed64 = 21,
                        kSfixed32 = 23, kSfixed64 = 25, kBool = 27, kBools = 28, kString = 29,
                        kBytes = 31;
}

/// The value of an attribute: a number, a text, or a list of true and false.
struct Attribute {
  std::string_view name;
  std::optional<std::int64_t> number;
  std::optional<std::string_view> text;
  std::vector<bool> list;
};

/// A problem in a message; the reader adds the location.
struct Malformed {
  std::string message;
};

void require(const pbf_reader& reader, pbf_wire_type type, std::string_view field) {
  if (!reader.has_wire_type(type))
    throw Malformed{
        fmt::format("the field '{}' (number {}) has another wire type", field, reader.tag())};
}

std::string_view view_of(pbf_reader& reader, std::string_view field) {
  require(reader, pbf_wire_type::length_delimited, field);
  const data_view view = reader.get_view();
  return {view.data(), view.size()};
}

std::uint64_t varint_of(pbf_reader& reader, std::string_view field) {
  require(reader, pbf_wire_type::varint, field);
  return reader.get_uint64();
}

std::int64_t whole(double value) {
  constexpr double kMost = 9.2e18;
  return value > -kMost && value < kMost ? static_cast<std::int64_t>(value) : -1;
}

std::vector<bool> bools_of(std::string_view bytes) {
  std::vector<bool> values;
  pbf_reader list(bytes.data(), bytes.size());
  while (list.next()) {
    if (list.tag() != 1)
      list.skip();
    else if (list.has_wire_type(pbf_wire_type::length_delimited))
      for (const bool value : list.get_packed_bool()) values.push_back(value);
    else
      values.push_back(varint_of(list, "values") != 0);
  }
  return values;
}

/// A number in any of the types that the schema has for one.
std::optional<std::int64_t> number_of(pbf_reader& reader) {
  constexpr std::string_view kField = "value";
  switch (reader.tag()) {
    case attribute_field::kInt32:
    case attribute_field::kInt64:
    case attribute_field::kUint32:
    case attribute_field::kUint64:
    case attribute_field::kBool: return static_cast<std::int64_t>(varint_of(reader, kField));
    case attribute_field::kSint32:
    case attribute_field::kSint64:
      require(reader, pbf_wire_type::varint, kField);
      return reader.get_sint64();
    case attribute_field::kFixed64:
    case attribute_field::kSfixed64:
      require(reader, pbf_wire_type::fixed64, kField);
      return reader.get_sfixed64();
    case attribute_field::kFixed32:
      require(reader, pbf_wire_type::fixed32, kField);
      return reader.get_fixed32();
    case attribute_field::kSfixed32:
      require(reader, pbf_wire_type::fixed32, kField);
      return reader.get_sfixed32();
    case attribute_field::kDouble:
      require(reader, pbf_wire_type::fixed64, kField);
      return whole(reader.get_double());
    case attribute_field::kFloat:
      require(reader, pbf_wire_type::fixed32, kField);
      return whole(reader.get_float());
    default: return std::nullopt;
  }
}

Attribute attribute_of(std::string_view bytes) {
  Attribute attribute;
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (reader.tag() == attribute_field::kName) {
      attribute.name = view_of(reader, "name");
    } else if (reader.tag() == attribute_field::kString ||
               reader.tag() == attribute_field::kBytes) {
      attribute.text = view_of(reader, "value");
    } else if (reader.tag() == attribute_field::kBools) {
      attribute.list = bools_of(view_of(reader, "value"));
    } else if (const auto number = number_of(reader)) {
      attribute.number = number;
    } else {
      reader.skip();
    }
  }
  return attribute;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  ChakraTrace read() {
    if (bytes_.empty()) throw InputError(file_, "", "is empty", "is this the right file?");
    for (; at_ < bytes_.size(); ++message_) {
      try {
        const std::string_view bytes = next_message();
        if (message_ == 0)
          read_metadata(bytes);
        else
          trace_.nodes.push_back(node_of(bytes));
      } catch (const protozero::exception& error) {
        fail(fmt::format("is not a protobuf message of Chakra's schema ({})", error.what()));
      } catch (const Malformed& error) {
        fail(error.message);
      }
      if (trace_.nodes.size() > kMostNodes) fail(fmt::format("more than {} nodes", kMostNodes));
    }
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::string message) const {
    throw InputError(file_, fmt::format("message {}", message_), std::move(message),
                     "a Chakra trace (.et) is GlobalMetadata and then nodes, each behind its "
                     "length");
  }

  std::string_view next_message() {
    const char* begin = bytes_.data() + at_;
    const char* const end = bytes_.data() + bytes_.size();
    const std::uint64_t length = protozero::decode_varint(&begin, end);
    const auto left = static_cast<std::uint64_t>(end - begin);
    if (length > left)
      throw Malformed{fmt::format("is {} bytes long, and the file ends after {}", length, left)};
    at_ = static_cast<std::size_t>(begin - bytes_.data()) + length;
    return {begin, static_cast<std::size_t>(length)};
  }

  void read_metadata(std::string_view bytes) {
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      if (reader.tag() == 1)
        trace_.version = view_of(reader, "version");
      else
        reader.skip();
    }
  }

  ChakraNode node_of(std::string_view bytes) {
    ChakraNode node;
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      switch (reader.tag()) {
        case node_field::kId: node.id = varint_of(reader, "id"); break;
        case node_field::kName: node.name = view_of(reader, "name"); break;
        case node_field::kType: node.type = varint_of(reader, "type"); break;
        case node_field::kControl:
        case node_field::kData: read_dependencies(reader, node); break;
        case node_field::kDuration: node.duration_us = varint_of(reader, "duration_micros"); break;
        case node_field::kAttribute:
          read_attribute(attribute_of(view_of(reader, "attr")), node);
          break;
        default: reader.skip();
      }
    }
    if (!ids_.insert(node.id).second)
      throw Malformed{fmt::format("node {} appears twice", node.id)};
    return node;
  }

  void read_dependencies(pbf_reader& reader, ChakraNode& node) {
    const std::size_t before = node.dependencies.size();
    if (reader.has_wire_type(pbf_wire_type::length_delimited)) {
      for (const std::uint64_t id : reader.get_packed_uint64()) node.dependencies.push_back(id);
    } else {
      node.dependencies.push_back(varint_of(reader, "deps"));
    }
    dependencies_ += node.dependencies.size() - before;
    if (dependencies_ > kMostDependencies)
      throw Malformed{fmt::format("more than {} dependencies", kMostDependencies)};
  }

  void read_attribute(const Attribute& attribute, ChakraNode& node) {
    const auto number = [&](std::int64_t& value) {
      if (!attribute.number)
        throw Malformed{
            fmt::format("the attribute '{}' of node {} is not a number", attribute.name, node.id)};
      value = *attribute.number;
    };
    std::int64_t flag = 0;
    if (attribute.name == "comm_type") return number(node.comm_type);
    if (attribute.name == "comm_size") return number(node.comm_size);
    if (attribute.name == "comm_src") return number(node.source);
    if (attribute.name == "comm_dst") return number(node.destination);
    if (attribute.name == "comm_tag") return number(node.tag);
    if (attribute.name == "num_ops") return number(node.operations);
    if (attribute.name == "tensor_size") return number(node.tensor_size);
    if (attribute.name == "root_rank" || attribute.name == "comm_root") return number(node.root);
    if (attribute.name == "is_cpu_op") {
      number(flag);
      node.runs_on_cpu = flag != 0;
    } else if (attribute.name == "runtime") {
      number(flag);
      if (flag > 0 && node.duration_us == 0) node.duration_us = static_cast<std::uint64_t>(flag);
    } else if (attribute.name == "involved_dim") {
      node.involved_dims = attribute.list;
    } else if (attribute.name == "pg_name") {
      node.group = attribute.text ? std::string(*attribute.text)
                                  : (attribute.number ? fmt::format("{}", *attribute.number) : "");
    } else {
      ++trace_.unread_attributes[std::string(attribute.name.substr(0, 80))];
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t message_ = 0;
  std::uint64_t dependencies_ = 0;
  ChakraTrace trace_;
  std::unordered_set<std::uint64_t> ids_;  ///< looked up only
};

class Writer {
 public:
  std::string write(const ChakraTrace& trace) {
    pbf_writer metadata(message_);
    metadata.add_string(1, trace.version);
    end_message();
    for (const ChakraNode& node : trace.nodes) write_node(node);
    return std::move(out_);
  }

 private:
  void end_message() {
    protozero::write_varint(std::back_inserter(out_), message_.size());
    out_ += message_;
    message_.clear();
  }

  void write_node(const ChakraNode& node) {
    pbf_writer writer(message_);
    writer.add_uint64(node_field::kId, node.id);
    writer.add_string(node_field::kName, node.name);
    writer.add_uint64(node_field::kType, node.type);
    writer.add_packed_uint64(node_field::kData, node.dependencies.begin(), node.dependencies.end());
    if (node.duration_us > 0) writer.add_uint64(node_field::kDuration, node.duration_us);
    attribute(writer, "is_cpu_op",
              [&](pbf_writer& value) { value.add_bool(attribute_field::kBool, node.runs_on_cpu); });
    number(writer, "comm_type", attribute_field::kInt64, node.comm_type);
    number(writer, "comm_size", attribute_field::kInt64, node.comm_size);
    number(writer, "comm_src", attribute_field::kInt32, node.source);
    number(writer, "comm_dst", attribute_field::kInt32, node.destination);
    number(writer, "comm_tag", attribute_field::kInt32, node.tag);
    number(writer, "num_ops", attribute_field::kInt64, node.operations);
    number(writer, "tensor_size", attribute_field::kUint64, node.tensor_size);
    number(writer, "root_rank", attribute_field::kInt32, node.root);
    if (!node.group.empty())
      attribute(writer, "pg_name",
                [&](pbf_writer& value) { value.add_string(attribute_field::kString, node.group); });
    if (!node.involved_dims.empty()) write_dims(writer, node);
    end_message();
  }

  static void write_dims(pbf_writer& writer, const ChakraNode& node) {
    attribute(writer, "involved_dim", [&](pbf_writer& value) {
      pbf_writer list(value, attribute_field::kBools);
      list.add_packed_bool(1, node.involved_dims.begin(), node.involved_dims.end());
    });
  }

  template <class Write>
  static void attribute(pbf_writer& writer, const char* name, const Write& write) {
    pbf_writer attribute(writer, node_field::kAttribute);
    attribute.add_string(attribute_field::kName, name);
    write(attribute);
  }

  /// An attribute that the node has; all types of `field` are varints.
  static void number(pbf_writer& writer, const char* name, std::uint32_t field,
                     std::int64_t value) {
    if (value < 0) return;
    attribute(writer, name, [&](pbf_writer& out) { out.add_int64(field, value); });
  }

  std::string message_, out_;
};

}  // namespace

ChakraTrace read_chakra(std::string_view bytes, const std::string& file) {
  return Reader(bytes, file).read();
}

std::string write_chakra(const ChakraTrace& trace) { return Writer().write(trace); }

}  // namespace railyard::collectives

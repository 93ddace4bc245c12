#include "core/sweep/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/json_value.hpp"
#include "core/diagnostic.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;

/// PRAGMA application_id: "RYSW".
constexpr std::int64_t kApplication = 0x52595357;
/// PRAGMA user_version: of the tables below.
constexpr std::int64_t kFormat = 1;

std::int64_t integer_of(Database& database, const std::string& sql) {
  Database::Statement statement = database.prepare(sql);
  statement.query({});
  if (!statement.next()) return 0;
  const Value value = statement.value(0);
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

std::string list_text(const std::vector<std::string>& words) {
  JsonValue list = JsonValue::list();
  for (const std::string& word : words) list.push(JsonValue::text(word));
  return to_text(list);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  const JsonValue json = parse_json(text, "sweep");
  if (const auto* list = std::get_if<JsonValue::List>(&json.data))
    for (const JsonValue& word : *list) words.push_back(std::get<std::string>(word.data));
  return words;
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

void require_sweep(Database& database) {
  const bool is_ours = integer_of(database, "PRAGMA application_id") == kApplication;
  if (!is_ours)
    throw InputError(database.file(), "", "is a database of another program", "give another file");
  const std::int64_t format = integer_of(database, "PRAGMA user_version");
  if (format != kFormat)
    throw InputError(database.file(), "",
                     fmt::format("was written by another version of railyard (format {}, this one "
                                 "reads {})",
                                 format, kFormat),
                     "give another file and run the sweep again");
}

Definition read_definition(Database& database) {
  Definition definition;
  Database::Statement statement = database.prepare("SELECT key, value FROM sweep");
  statement.query({});
  while (statement.next()) {
    const std::string key = text_of(statement.value(0));
    if (key == "command") definition.command = words_of(text_of(statement.value(1)));
    if (key == "fields") definition.fields = words_of(text_of(statement.value(1)));
  }
  return definition;
}

std::string describe(const Definition& definition) {
  return fmt::format("'{}' over {}", fmt::join(definition.command, " "),
                     fmt::join(definition.fields, ", "));
}

void require_same(const Definition& wanted, const Definition& found, const std::string& file) {
  if (wanted == found) return;
  throw InputError(file, "",
                   fmt::format("belongs to another sweep: {}; this one is {}", describe(found),
                               describe(wanted)),
                   "give another --db: a database holds one command and one set of fields");
}

/// A value of a field: a number if its text is one.
Value value_of_field(const std::string& text) {
  std::int64_t whole = 0;
  double number = 0;
  const char* last = text.data() + text.size();
  if (std::from_chars(text.data(), last, whole).ptr == last && fmt::format("{}", whole) == text)
    return whole;
  if (std::from_chars(text.data(), last, number).ptr == last && fmt::format("{}", number) == text)
    return number;
  return text;
}

constexpr std::array<std::string_view, 6> kOwnColumns{"point", "exit_code", "seconds",
                                                      "error", "notes",     "digest"};

}  // namespace

/// A lock that is released when its process ends.
struct Store::Lock {
  explicit Lock(const std::string& database) : path(database + ".lock") {
    for (;;) {
      descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (descriptor < 0)
        throw InputError(database, "", fmt::format("cannot be written: {}", std::strerror(errno)),
                         "does its folder exist, and may it be written?");
      if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        ::close(descriptor);
        throw InputError(database, "", "another sweep is writing it", "wait, or give another --db");
      }
      // Its owner may have removed it meanwhile.
      struct stat own {
      }, there{};
      if (fstat(descriptor, &own) == 0 && stat(path.c_str(), &there) == 0 &&
          own.st_ino == there.st_ino)
        return;
      ::close(descriptor);
    }
  }
  ~Lock() {
    unlink(path.c_str());
    ::close(descriptor);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  std::string path;
  int descriptor = -1;
};

Store::Store(const std::string& file, const Definition& definition) : fields_(definition.fields) {
  lock_ = std::make_unique<Lock>(file);
  database_ = std::make_unique<Database>(file, Database::Access::write);
  const bool is_new = integer_of(*database_, "SELECT count(*) FROM sqlite_master") == 0;
  if (is_new) {
    create(definition);
  } else {
    require_sweep(*database_);
    require_same(definition, read_definition(*database_), file);
  }
  // Write-ahead log without a flush per transaction. If the process is killed, no point is lost; if
  // the machine loses power, the last points may be. File systems without shared memory keep
  // SQLite's default journal.
  database_->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
  Database::Statement known = database_->prepare("SELECT name, first_point, place FROM columns");
  known.query({});
  while (known.next())
    columns_[text_of(known.value(0))] = {std::get<std::int64_t>(known.value(1)),
                                         std::get<std::int64_t>(known.value(2))};
}

Store::~Store() = default;

void Store::create(const Definition& definition) {
  std::string fields;
  for (const std::string& field : definition.fields) fields += ", " + sql_name(field);
  // Columns without a type keep the type of each value.
  database_->execute(fmt::format(
      "BEGIN IMMEDIATE; PRAGMA application_id={}; PRAGMA user_version={};"
      "CREATE TABLE sweep(key TEXT PRIMARY KEY, value TEXT);"
      "CREATE TABLE columns(name TEXT PRIMARY KEY, first_point INTEGER, place INTEGER, decimals "
      "INTEGER, is_size INTEGER, joins_heading INTEGER);"
      "CREATE TABLE points(sweep_point INTEGER, sweep_values TEXT PRIMARY KEY, sweep_digest TEXT, "
      "sweep_exit_code INTEGER, sweep_error TEXT, sweep_notes TEXT, sweep_seconds REAL{});"
      "CREATE TABLE rows(sweep_digest TEXT, sweep_row INTEGER, sweep_kind TEXT, "
      "PRIMARY KEY(sweep_digest, sweep_row));",
      kApplication, kFormat, fields));
  Database::Statement insert = database_->prepare("INSERT INTO sweep VALUES(?, ?)");
  insert.run(std::array<Value, 2>{"command", list_text(definition.command)});
  insert.run(std::array<Value, 2>{"fields", list_text(definition.fields)});
  make_view();
  database_->execute("COMMIT");
}

void Store::make_view() {
  std::string selected = "p.sweep_point AS point";
  for (const std::string& field : fields_)
    selected += columns_.contains(field)
                    ? fmt::format(", coalesce(r.{0}, p.{0}) AS {0}", sql_name(field))
                    : fmt::format(", p.{0} AS {0}", sql_name(field));
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, std::string>> ordered;
  for (const auto& [name, place] : columns_) ordered.emplace_back(place, name);
  std::ranges::sort(ordered);
  for (const auto& [place, name] : ordered)
    if (std::ranges::find(fields_, name) == fields_.end())
      selected += fmt::format(", r.{0} AS {0}", sql_name(name));
  database_->execute(fmt::format(
      "DROP VIEW IF EXISTS results; CREATE VIEW results AS SELECT {} FROM points p JOIN rows r ON "
      "r.sweep_digest = p.sweep_digest",
      selected));
}

PointStates Store::match_points(const std::vector<PointKey>& points, bool retries) {
  const std::lock_guard lock(mutex_);
  PointStates states;
  states.is_done.resize(points.size());
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < points.size(); ++i) numbers[list_text(points[i].values)] = i;
  database_->execute("BEGIN IMMEDIATE");
  Database::Statement remove_rows = database_->prepare("DELETE FROM rows WHERE sweep_digest = ?");
  Database::Statement remove = database_->prepare("DELETE FROM points WHERE sweep_values = ?");
  Database::Statement number =
      database_->prepare("UPDATE points SET sweep_point = ? WHERE sweep_values = ?");
  struct Stored {
    std::string values, digest;
    Value number;
    bool has_failed;
  };
  std::vector<Stored> stored;
  {
    Database::Statement read = database_->prepare(
        "SELECT sweep_values, sweep_digest, sweep_point, sweep_exit_code FROM points");
    read.query({});
    while (read.next())
      stored.push_back({text_of(read.value(0)), text_of(read.value(1)), read.value(2),
                        std::get<std::int64_t>(read.value(3)) > 1});
  }
  for (const Stored& point : stored) {
    const auto found = numbers.find(point.values);
    if (found == numbers.end()) {
      ++states.others;
      if (!std::holds_alternative<std::monostate>(point.number))
        number.run(std::array<Value, 2>{std::monostate(), point.values});
      continue;
    }
    const bool is_changed = points[found->second].digest != point.digest;
    if (is_changed || (retries && point.has_failed)) {
      remove_rows.run(std::array<Value, 1>{point.digest});
      remove.run(std::array<Value, 1>{point.values});
      states.changed += is_changed ? 1 : 0;
      continue;
    }
    const Value wanted = static_cast<std::int64_t>(found->second);
    if (point.number != wanted) number.run(std::array<Value, 2>{wanted, point.values});
    states.is_done[found->second] = true;
    ++states.done;
    states.failed += point.has_failed ? 1 : 0;
  }
  database_->execute("COMMIT");
  return states;
}

void Store::add_columns(const std::vector<Column>& columns, std::int64_t number) {
  bool is_new = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const auto place = std::pair(number, static_cast<std::int64_t>(i));
    const auto [found, added] = columns_.try_emplace(column.name, place);
    if (added) database_->execute("ALTER TABLE rows ADD COLUMN " + sql_name(column.name));
    if (!added && found->second <= place) continue;
    is_new = true;
    found->second = place;
    database_->prepare("INSERT OR REPLACE INTO columns VALUES(?, ?, ?, ?, ?, ?)")
        .run(std::array<Value, 6>{column.name, place.first, place.second,
                                  std::int64_t{column.decimals}, column.is_size,
                                  column.joins_heading});
  }
  if (is_new) make_view();
}

void Store::insert_table(const PointKey& point, std::int64_t number, const Table& table,
                         std::int64_t& row) {
  add_columns(table.columns, number);
  std::string sql = "INSERT INTO rows(sweep_digest, sweep_row, sweep_kind";
  std::string marks;
  for (const Column& column : table.columns) {
    sql += ", " + sql_name(column.name);
    marks += ", ?";
  }
  sql += ") VALUES(?, ?, ?" + marks + ")";
  auto known = inserts_.find(sql);
  if (known == inserts_.end()) known = inserts_.emplace(sql, database_->prepare(sql)).first;
  for (const auto& values : table.rows) {
    std::vector<Value> all{point.digest, row++, table.kind};
    all.insert(all.end(), values.begin(), values.end());
    known->second.run(all);
  }
}

void Store::add(std::size_t number, const PointKey& point, const Outcome& outcome) {
  const std::lock_guard lock(mutex_);
  database_->execute("BEGIN IMMEDIATE");
  std::string marks;
  for (std::size_t i = 0; i < fields_.size(); ++i) marks += ", ?";
  const std::string sql = "INSERT INTO points VALUES(?, ?, ?, ?, ?, ?, ?" + marks + ")";
  auto known = inserts_.find(sql);
  if (known == inserts_.end()) known = inserts_.emplace(sql, database_->prepare(sql)).first;
  const auto place = static_cast<std::int64_t>(number);
  std::vector<Value> values{
      place,         list_text(point.values), point.digest,   std::int64_t{outcome.exit_code},
      outcome.error, outcome.notes,           outcome.seconds};
  for (const std::string& value : point.values) values.push_back(value_of_field(value));
  known->second.run(values);
  std::int64_t row = 0;
  for (const Table& table : outcome.tables) insert_table(point, place, table, row);
  database_->execute("COMMIT");
}

void Store::close() {
  const std::lock_guard lock(mutex_);
  inserts_.clear();
  database_->execute("PRAGMA journal_mode=DELETE");
  database_.reset();
  lock_.reset();
}

Condition parse_condition(const std::string& text, const std::string& flag) {
  const std::size_t at = text.find_first_of("=<>!");
  Condition condition;
  if (at != std::string::npos && at > 0) {
    const bool is_two = at + 1 < text.size() && text[at + 1] == '=' && text[at] != '=';
    condition = {text.substr(0, at), text.substr(at, is_two ? 2 : 1),
                 text.substr(at + (is_two ? 2 : 1))};
  }
  if (condition.column.empty() || condition.comparison == "!")
    throw InputError("", flag, fmt::format("'{}' is not a condition", text),
                     "COLUMN=VALUE, or with !=, <, <=, > or >=");
  return condition;
}

StoredResults::StoredResults(const std::string& file)
    : database_([&] {
        if (!fs::exists(file))
          throw InputError(file, "", "there is no such file", "railyard sweep --db makes it");
        return Database(file, Database::Access::read);
      }()) {
  require_sweep(database_);
  definition_ = read_definition(database_);
  Database::Statement statement = database_.prepare(
      "SELECT name, decimals, is_size, joins_heading FROM columns ORDER BY first_point, place");
  statement.query({});
  while (statement.next())
    row_columns_.push_back(
        {.name = text_of(statement.value(0)),
         .decimals = static_cast<int>(std::get<std::int64_t>(statement.value(1))),
         .is_size = std::get<std::int64_t>(statement.value(2)) != 0,
         .joins_heading = std::get<std::int64_t>(statement.value(3)) != 0});
}

std::vector<std::string> StoredResults::shown_columns() const {
  std::vector<std::string> names = definition_.fields;
  for (const Column& column : row_columns_)
    if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
  return names;
}

std::vector<std::string> StoredResults::columns() const {
  std::vector<std::string> names = shown_columns();
  for (const char* own : {"point", "kind", "exit_code", "seconds", "error", "notes", "digest"})
    if (std::ranges::find(names, own) == names.end()) names.emplace_back(own);
  return names;
}

std::string StoredResults::expression(const std::string& column, bool prefers_field,
                                      const std::string& flag) const {
  const bool is_field = std::ranges::find(definition_.fields, column) != definition_.fields.end();
  const bool is_row =
      std::ranges::any_of(row_columns_, [&](const Column& known) { return known.name == column; });
  const std::string name = sql_name(column);
  if (is_field && is_row)
    return prefers_field ? fmt::format("coalesce(nullif(p.{0}, ''), r.{0})", name)
                         : fmt::format("coalesce(r.{0}, p.{0})", name);
  if (is_field) return "p." + name;
  if (is_row) return "r." + name;
  if (column == "kind") return "r.sweep_kind";
  if (std::ranges::find(kOwnColumns, column) != kOwnColumns.end()) return "p.sweep_" + column;
  const std::vector<std::string> names = columns();
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  throw InputError(database_.file(), flag, fmt::format("there is no column '{}'", column), [&] {
    std::string hint = did_you_mean(column, candidates);
    if (!hint.empty()) hint += "; ";
    return hint + fmt::format("columns: {}", fmt::join(names, ", "));
  }());
}

Table StoredResults::rows(const std::vector<std::string>& columns,
                          const std::vector<Condition>& conditions, const std::string& flag) {
  return read(columns, conditions, false, flag);
}

Table StoredResults::rows_by_field(const std::vector<std::string>& columns,
                                   const std::vector<Condition>& conditions,
                                   const std::string& flag) {
  return read(columns, conditions, true, flag);
}

Table StoredResults::read(const std::vector<std::string>& columns,
                          const std::vector<Condition>& conditions, bool prefers_field,
                          const std::string& flag) {
  Table table{.kind = "sweep", .columns = {}, .rows = {}};
  std::string sql = "SELECT ";
  for (const std::string& name : columns) {
    const auto known = std::ranges::find(row_columns_, name, &Column::name);
    table.columns.push_back(known == row_columns_.end() ? Column{.name = name} : *known);
    sql += (table.columns.size() == 1 ? "" : ", ") + expression(name, prefers_field, flag);
  }
  sql += " FROM points p JOIN rows r ON r.sweep_digest = p.sweep_digest";
  std::vector<Value> values;
  for (const Condition& condition : conditions) {
    // "bytes=1G" is the value of the field, or the text or number of the row.
    const std::string row = expression(condition.column, false, "--where");
    const std::string field = expression(condition.column, true, "--where");
    const bool is_equal = condition.comparison == "=" || condition.comparison == "!=";
    sql += values.empty() ? " WHERE " : " AND ";
    if (is_equal) {
      sql += fmt::format(
          "{0}(coalesce(CAST({1} AS TEXT), '') = ? OR coalesce(CAST({2} AS TEXT), '') = ? OR "
          "(typeof({1}) IN ('integer', 'real') AND ? GLOB '[-0-9.]*' AND {1} = CAST(? AS "
          "NUMERIC)))",
          condition.comparison == "=" ? "" : "NOT ", row, field);
      values.insert(values.end(), 4, condition.value);
    } else {
      sql += fmt::format("CAST({} AS NUMERIC) {} CAST(? AS NUMERIC)", row, condition.comparison);
      values.emplace_back(condition.value);
    }
  }
  sql += " ORDER BY p.sweep_point IS NULL, p.sweep_point, p.sweep_values, r.sweep_row";
  Database::Statement statement = database_.prepare(sql);
  statement.query(values);
  while (statement.next()) {
    auto& row = table.rows.emplace_back();
    for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.value(i));
  }
  return table;
}

Table StoredResults::failed() {
  Table table{.kind = "failed", .columns = {{.name = "point"}}, .rows = {}};
  std::string sql = "SELECT sweep_point";
  for (const std::string& field : definition_.fields) {
    table.columns.push_back({.name = field});
    sql += ", " + sql_name(field);
  }
  table.columns.push_back({.name = "exit_code"});
  table.columns.push_back({.name = "error"});
  sql +=
      ", sweep_exit_code, sweep_error FROM points WHERE sweep_exit_code > 1 ORDER BY sweep_point "
      "IS NULL, sweep_point, sweep_values";
  Database::Statement statement = database_.prepare(sql);
  statement.query({});
  while (statement.next()) {
    auto& row = table.rows.emplace_back();
    for (int i = 0; i < statement.columns(); ++i) row.push_back(statement.value(i));
  }
  return table;
}

StoredResults::Counts StoredResults::counts() {
  return {.points = integer_of(database_, "SELECT count(*) FROM points"),
          .failed = integer_of(database_, "SELECT count(*) FROM points WHERE sweep_exit_code > 1"),
          .rows = integer_of(database_, "SELECT count(*) FROM rows")};
}

std::size_t Store::merge(const std::string& other) {
  const std::lock_guard lock(mutex_);
  const StoredResults source(other);
  require_same({.command = source.definition().command, .fields = fields_}, source.definition(),
               other);
  database_->prepare("ATTACH DATABASE ? AS other").run(std::array<Value, 1>{other});
  std::size_t added = 0;
  database_->execute("BEGIN IMMEDIATE");
  Database::Statement conflict = database_->prepare(
      "SELECT o.sweep_values FROM other.points o JOIN points p ON p.sweep_values = o.sweep_values "
      "WHERE p.sweep_digest <> o.sweep_digest LIMIT 1");
  conflict.query({});
  if (conflict.next())
    throw InputError(other, "",
                     fmt::format("has a point of other inputs: {}", text_of(conflict.value(0))),
                     "a config or railyard changed in between; run the sweep again with this "
                     "database as --db, then merge");
  std::vector<Column> columns;
  std::vector<std::int64_t> first;
  {
    Database::Statement read = database_->prepare(
        "SELECT name, decimals, is_size, joins_heading, first_point, place FROM other.columns");
    read.query({});
    while (read.next()) {
      const Column column{.name = text_of(read.value(0)),
                          .decimals = static_cast<int>(std::get<std::int64_t>(read.value(1))),
                          .is_size = std::get<std::int64_t>(read.value(2)) != 0,
                          .joins_heading = std::get<std::int64_t>(read.value(3)) != 0};
      const auto place =
          std::pair(std::get<std::int64_t>(read.value(4)), std::get<std::int64_t>(read.value(5)));
      columns.push_back(column);
      const auto [found, is_new] = columns_.try_emplace(column.name, place);
      if (is_new) database_->execute("ALTER TABLE rows ADD COLUMN " + sql_name(column.name));
      if (!is_new && found->second <= place) continue;
      found->second = place;
      database_->prepare("INSERT OR REPLACE INTO columns VALUES(?, ?, ?, ?, ?, ?)")
          .run(std::array<Value, 6>{column.name, place.first, place.second,
                                    std::int64_t{column.decimals}, column.is_size,
                                    column.joins_heading});
    }
  }
  make_view();
  std::string names = "sweep_digest, sweep_row, sweep_kind";
  for (const Column& column : columns) names += ", " + sql_name(column.name);
  database_->execute(
      "DELETE FROM points WHERE sweep_exit_code > 1 AND EXISTS(SELECT 1 FROM other.points o WHERE "
      "o.sweep_values = points.sweep_values AND o.sweep_exit_code <= 1)");
  database_->execute(
      fmt::format("INSERT OR IGNORE INTO rows({0}) SELECT {0} FROM other.rows", names));
  Database::Statement insert =
      database_->prepare("INSERT OR IGNORE INTO points SELECT * FROM other.points");
  insert.run({});
  added = static_cast<std::size_t>(database_->changes());
  database_->execute("COMMIT; DETACH DATABASE other");
  return added;
}

}  // namespace railyard::core::sweep

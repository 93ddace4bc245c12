#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/sweep/database.hpp"
#include "core/sweep/outcome.hpp"

namespace railyard::core::sweep {

/// What a database holds the results of. A database belongs to one sweep; its values may grow.
struct Definition {
  std::vector<std::string> command;  ///< the words that all points share
  std::vector<std::string> fields;
  bool operator==(const Definition&) const = default;
};

/// A point and what its result depends on.
struct PointKey {
  std::vector<std::string> values;  ///< one per field
  std::string digest;               ///< of its inputs (core/sweep/input_digest.hpp)
};

/// What a database holds of the points of a sweep.
struct Standing {
  std::vector<bool> is_done;  ///< by point
  std::size_t done = 0;    ///< points with a result for their present inputs, those that failed too
  std::size_t failed = 0;  ///< of those: that failed
  std::size_t changed = 0;  ///< whose result was removed because an input changed
  std::size_t others = 0;   ///< in the database and not in this sweep
};

/// The SQLite database of a sweep:
///   points   one row per point: sweep_point (its number), sweep_values, sweep_digest (of its
///            inputs), sweep_exit_code, sweep_error, sweep_notes, sweep_seconds, a column per field
///   rows     one row per result row: sweep_digest (of its point), sweep_row, sweep_kind, and a
///            column per column of the results
///   results  a view of both: each column once, that of the row where both have it
///   columns  how columns are printed;  sweep: what the database belongs to
/// A point is written in one transaction, so that a killed process leaves whole points. The write
/// lock is a file beside the database (".lock"). For several threads. Throws InputError.
class Store {
 public:
  /// Opens or makes a database for writing. Throws InputError where it belongs to another sweep or
  /// program, or another process writes it.
  Store(const std::string& file, const Definition& definition);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Compares the database with the points of a sweep: numbers them, and removes results whose
  /// inputs changed, and, where `retries`, those of points that failed.
  [[nodiscard]] Standing adopt(const std::vector<PointKey>& points, bool retries);
  /// Writes what came of a point. After an error this must not be used any more.
  void add(std::size_t number, const PointKey& point, const Outcome& outcome);
  /// Adds the points of other databases of the same sweep that this one lacks; a result replaces
  /// that of a point that failed. Returns how many it added.
  [[nodiscard]] std::size_t merge(const std::string& other);
  /// Ends writing: makes the database one file again.
  void close();

 private:
  struct Lock;
  void create(const Definition& definition);
  void add_columns(const std::vector<Column>& columns, std::int64_t number);
  void make_view();
  void insert_table(const PointKey& point, std::int64_t number, const Table& table,
                    std::int64_t& row);

  std::mutex mutex_;
  std::unique_ptr<Lock> lock_;
  std::unique_ptr<Database> database_;
  std::vector<std::string> fields_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> columns_;  ///< first point, place
  std::map<std::string, Database::Statement> inserts_;
};

/// A condition on a column: "nodes=4", "time_us<100"; = and != compare text or number.
struct Condition {
  std::string column;
  std::string comparison;  ///< "=", "!=", "<", "<=", ">", ">="
  std::string value;
};
/// Reads "COLUMN=VALUE". Throws InputError that names `flag`.
[[nodiscard]] Condition parse_condition(const std::string& text, const std::string& flag);

/// A database for reading, also while a sweep writes it.
class StoredResults {
 public:
  explicit StoredResults(const std::string& file);

  [[nodiscard]] const Definition& definition() const { return definition_; }
  /// Names of all columns: the fields, the columns of rows, and then "point", "kind", "exit_code",
  /// "seconds", "error", "notes", "digest".
  [[nodiscard]] std::vector<std::string> columns() const;
  /// The columns that are shown unless others are asked for: up to the columns of rows.
  [[nodiscard]] std::vector<std::string> shown_columns() const;
  /// Result rows in the order of points. Throws InputError with the nearest name for an unknown
  /// column, naming `flag`.
  [[nodiscard]] Table rows(const std::vector<std::string>& columns,
                           const std::vector<Condition>& conditions, const std::string& flag);
  /// The same with the value of the sweep's field where a field and a column share a name.
  [[nodiscard]] Table rows_by_field(const std::vector<std::string>& columns,
                                    const std::vector<Condition>& conditions,
                                    const std::string& flag);
  /// Points that failed: number, fields, exit_code, error.
  [[nodiscard]] Table failed();
  struct Counts {
    std::int64_t points = 0, failed = 0, rows = 0;
  };
  [[nodiscard]] Counts counts();

 private:
  [[nodiscard]] Table read(const std::vector<std::string>& columns,
                           const std::vector<Condition>& conditions, bool prefers_field,
                           const std::string& flag);
  [[nodiscard]] std::string expression(const std::string& column, bool prefers_field,
                                       const std::string& flag) const;
  Database database_;
  Definition definition_;
  std::vector<Column> row_columns_;
};

}  // namespace railyard::core::sweep

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

/// The definition of the sweep of a database. A database belongs to one sweep; values can be added.
struct Definition {
  std::vector<std::string> command;  ///< command words common to all points
  std::vector<std::string> fields;
  bool operator==(const Definition&) const = default;
};

/// A point and the digest of its inputs.
struct PointKey {
  std::vector<std::string> values;  ///< one per field
  std::string digest;               ///< core/sweep/input_digest.hpp
};

/// The state of the points of a sweep in a database.
struct PointStates {
  std::vector<bool> is_done;  ///< by point
  std::size_t done = 0;    ///< points with a result for their current inputs, including failed ones
  std::size_t failed = 0;  ///< failed points among them
  std::size_t changed = 0;  ///< points whose result was removed because an input changed
  std::size_t others = 0;   ///< points in the database that are not in this sweep
};

/// The SQLite database of a sweep:
///   points   one row per point: sweep_point (its number), sweep_values, sweep_digest (of its
///            inputs), sweep_exit_code, sweep_error, sweep_notes, sweep_seconds, a column per field
///   rows     one row per result row: sweep_digest (of its point), sweep_row, sweep_kind, and a
///            column per column of the results
///   results  a view of both; a column that both have is taken from `rows`
///   columns  how columns are printed
///   sweep    the sweep to which the database belongs
/// A point is written in one transaction, so that a killed process leaves only complete points. The
/// write lock is a file next to the database (".lock"). Thread-safe. Throws InputError.
class Store {
 public:
  /// Opens or creates a database for writing. Throws InputError if it belongs to another sweep or
  /// program, or if another process is writing it.
  Store(const std::string& file, const Definition& definition);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Compares the database with the points of a sweep: numbers them, and removes results with
  /// changed inputs and, if `retries`, results of failed points.
  [[nodiscard]] PointStates match_points(const std::vector<PointKey>& points, bool retries);
  /// Writes the result of a point. After an error the store must not be used any more.
  void add(std::size_t number, const PointKey& point, const Outcome& outcome);
  /// Adds missing points from another database of the same sweep; results also replace those of
  /// failed points. Returns the number of added points.
  [[nodiscard]] std::size_t merge(const std::string& other);
  /// Ends writing and merges the write-ahead log into the database file.
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
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> columns_;  ///< first point, position
  std::map<std::string, Database::Statement> inserts_;
};

/// A condition on a column: "nodes=4", "time_us<100"; = and != compare text or number.
struct Condition {
  std::string column;
  std::string comparison;  ///< "=", "!=", "<", "<=", ">", ">="
  std::string value;
};
/// Reads a condition such as "COLUMN=VALUE". Throws InputError for `flag`.
[[nodiscard]] Condition parse_condition(const std::string& text, const std::string& flag);

/// A database opened for reading, also while a sweep writes it.
class StoredResults {
 public:
  explicit StoredResults(const std::string& file);

  [[nodiscard]] const Definition& definition() const { return definition_; }
  /// Names of all columns: the fields, the columns of rows, and then "point", "kind", "exit_code",
  /// "seconds", "error", "notes", "digest".
  [[nodiscard]] std::vector<std::string> columns() const;
  /// The columns that are shown by default: the fields and the columns of rows.
  [[nodiscard]] std::vector<std::string> shown_columns() const;
  /// Result rows in the order of points. Throws InputError for `flag`, with the nearest name, for
  /// an unknown column.
  [[nodiscard]] Table rows(const std::vector<std::string>& columns,
                           const std::vector<Condition>& conditions, const std::string& flag);
  /// The same, but if a field and a column have the same name, with the value of the field.
  [[nodiscard]] Table rows_by_field(const std::vector<std::string>& columns,
                                    const std::vector<Condition>& conditions,
                                    const std::string& flag);
  /// Failed points: number, fields, exit_code, error.
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

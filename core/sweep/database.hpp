#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/sweep/outcome.hpp"

namespace railyard::core::sweep {

/// An SQLite database file. Not thread-safe. Functions throw InputError with the file and SQLite's
/// error: a full disk, a file of another program, a database in use.
class Database {
 public:
  enum class Access { read, write };
  /// Access::write creates a missing file.
  Database(std::string file, Access access);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) = delete;

  /// A prepared statement. It must not outlive the database.
  class Statement {
   public:
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&& other) = delete;
    /// Binds the values in order to the '?' parameters and runs the statement.
    void run(std::span<const Value> values);
    /// Binds the values. The first call of next() then reads the first row.
    void query(std::span<const Value> values);
    [[nodiscard]] bool next();
    [[nodiscard]] int columns() const;
    /// Integers, numbers and texts; null is std::monostate.
    [[nodiscard]] Value value(int column) const;

   private:
    friend class Database;
    struct State;
    explicit Statement(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  [[nodiscard]] Statement prepare(const std::string& sql);
  /// Runs statements without result rows.
  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t changes() const;  ///< rows changed by the last statement
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  void* connection_ = nullptr;  ///< sqlite3*
};

/// A name in double quotes, escaped for SQL.
[[nodiscard]] std::string sql_name(std::string_view name);

/// Whether a file is an SQLite database, by its first bytes.
[[nodiscard]] bool is_database(const std::string& file);

}  // namespace railyard::core::sweep

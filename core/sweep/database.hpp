#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/sweep/outcome.hpp"

namespace railyard::core::sweep {

/// An SQLite database file. Not for several threads at once. Functions throw InputError with the
/// file and SQLite's reason: a full disk, a file of another program, a database in use.
class Database {
 public:
  enum class Access { read, write };
  /// Access::write makes the file where it is missing.
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
    /// Binds the values in order, from the first '?' on, and runs the statement from its start.
    void run(std::span<const Value> values);
    /// Binds the values and goes to the first row with next().
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
  /// Runs statements that give no rows.
  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t changes() const;  ///< rows that the last statement changed
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  void* connection_ = nullptr;  ///< sqlite3*
};

/// A name in double quotes, as SQL writes it.
[[nodiscard]] std::string sql_name(std::string_view name);

/// Whether a file is an SQLite database, by its first bytes.
[[nodiscard]] bool is_database(const std::string& file);

}  // namespace railyard::core::sweep

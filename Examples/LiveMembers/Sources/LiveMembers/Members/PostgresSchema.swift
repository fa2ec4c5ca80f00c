/// What PostgreSQL has to know for this program: tables, and the functions that are called.
enum PostgresSchema {
  /// Grows with each change of `postgres.sql`, and is stored in the database.
  private static let number = 3
  static let version = "live members \(number)"

  /// Several statements, for one transaction.
  static let statements = String(decoding: PackageResources.postgres_sql, as: UTF8.self)
    .replacing("{version}", with: "\(number)")
}

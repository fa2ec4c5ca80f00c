import CPostgres
import Foundation

/// A value of a statement, in PostgreSQL's binary format.
struct PostgresValue: Sendable {
  private let type: Oid
  private var bytes: [UInt8] = []

  private init(type: Oid) {
    self.type = type
  }

  static func integer(_ value: some BinaryInteger) -> PostgresValue {
    var result = PostgresValue(type: 20)
    result.append(Int64(value))
    return result
  }

  static func text(_ value: String) -> PostgresValue {
    var result = PostgresValue(type: 25)
    result.bytes = Array(value.utf8)
    return result
  }

  static func bytes(_ value: Data) -> PostgresValue {
    var result = PostgresValue(type: 17)
    result.bytes = Array(value)
    return result
  }

  static func texts(_ values: [String]) -> PostgresValue {
    array(type: 1_009, of: 25, values.map(\.utf8))
  }

  static func integers(_ values: [Int64]) -> PostgresValue {
    array(
      type: 1_016, of: 20,
      values.map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } })
  }

  static func bytes(_ values: [Data]) -> PostgresValue {
    array(type: 1_001, of: 17, values)
  }

  /// One dimension, no nulls, the first index 1.
  private static func array(
    type: Oid, of element: Oid, _ values: [some Collection<UInt8>]
  ) -> PostgresValue {
    var result = PostgresValue(type: type)
    for number in [1, 0, Int32(element), Int32(values.count), 1] { result.append(number) }
    for value in values {
      result.append(Int32(value.count))
      result.bytes.append(contentsOf: value)
    }
    return result
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Calls a function of `libpq` with the types, addresses, lengths and formats of values.
  static func withPointers(
    to values: [PostgresValue],
    _ body: ([Oid], [UnsafePointer<CChar>?], [Int32], [Int32]) -> Int32
  ) -> Int32 {
    // An address of no bytes must not be nil, which is NULL: hence one byte more.
    let copies = values.map { value in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: value.bytes.count + 1)
      for (place, byte) in value.bytes.enumerated() { copy[place] = CChar(bitPattern: byte) }
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    return body(
      values.map(\.type), copies.map { UnsafePointer($0) }, values.map { Int32($0.bytes.count) },
      values.map { _ in 1 })
  }
}

/// The rows of a reply, in PostgreSQL's binary format.
final class PostgresRows {
  private let result: OpaquePointer?

  /// - Parameter result: Belongs to the rows from now on.
  init(_ result: OpaquePointer?) {
    self.result = result
  }

  deinit {
    PQclear(result)
  }

  var status: ExecStatusType { PQresultStatus(result) }

  var indices: Range<Int32> { 0..<PQntuples(result) }

  /// The last column, if there are rows.
  var serverProcess: Int64? {
    indices.isEmpty ? nil : integer(0, PQnfields(result) - 1)
  }

  /// The kind of an error, as PostgreSQL numbers them.
  var sqlState: String {
    PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
  }

  func isNull(_ row: Int32, _ column: Int32) -> Bool {
    PQgetisnull(result, row, column) == 1
  }

  /// A `bigint`.
  func integer(_ row: Int32, _ column: Int32) -> Int64 {
    bytes(row, column).reduce(0) { $0 << 8 | Int64($1) }
  }

  func text(_ row: Int32, _ column: Int32) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  func data(_ row: Int32, _ column: Int32) -> Data {
    Data(bytes(row, column))
  }

  private func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }
}

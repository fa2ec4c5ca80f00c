import Foundation
import SharedChannels

/// What the server answers, as far as it is used here.
struct NATSAnswer: Decodable {
  struct Failure: Decodable {
    let errCode: Int?
    let description: String?
  }
  struct Stored: Decodable {
    let subject: String
    let seq: Int64
    let hdrs: Data?
    let data: Data?
  }
  /// That of a stream; a consumer has other values.
  struct Configuration: Decodable {
    let subjects: [String]?
    let retention: String?
    let storage: String?
    let discard: String?
    let maxAge: Int64?
    let maxMsgs: Int64?
    let maxMsgsPerSubject: Int64?
    let numReplicas: Int?
  }
  struct State: Decodable {
    let subjects: [String: Int]?
    let lastSeq: Int64?
  }

  let error: Failure?
  let seq: Int64?
  let message: Stored?
  let config: Configuration?
  let state: State?
  let api: [String: Int]?

  init(_ data: Data) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      self = try decoder.decode(Self.self, from: data)
    } catch {
      throw LogFailure.unreachable("NATS: \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
  }

  /// A cluster's server processes another message with the same subject (10164), or is not ready (10163): this one is
  /// not stored.
  var isToBeAskedAgain: Bool { [10163, 10164].contains(error?.errCode) }

  func requireSuccess() throws {
    if let error { throw LogFailure.unreachable("NATS: \(error.description ?? "\(error)")") }
  }
}

extension NATSAnswer.Stored {
  /// The headers are a line for each, after one with the version.
  func header(_ name: String) -> String? {
    let text = String(decoding: hdrs ?? Data(), as: UTF8.self)
    for line in text.split(separator: "\r\n") where line.hasPrefix("\(name): ") {
      return String(line.dropFirst(name.count + 2))
    }
    return nil
  }

  func record() throws -> NATSRecord {
    try NATSRecord(sequence: seq, data: data ?? Data(), text: header(NATSRecord.header))
  }
}

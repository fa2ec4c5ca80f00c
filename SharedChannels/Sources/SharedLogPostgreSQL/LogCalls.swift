import AsyncChannels
import Foundation
import SharedChannels

/// What a log appends, to be carried out with what others do.
struct LogAppend: Sendable {
  typealias Asked = Request<LogAppend, Result<[LogAppend.Stored], any Error>>
  let log: String
  let batch: [Keyed<Data>]

  struct Stored: Sendable {
    let receipt: Receipt
    /// That of the entry before.
    let markBefore: Int64
  }

  static let bytes = 8 << 20

  /// What is carried out in one step: so many bytes, or a single request.
  static func parts(of requests: [Asked]) -> [[Asked]] {
    var (parts, size) = ([[Asked]](), 0)
    for request in requests where request.isAwaited {
      let more = request.question.batch.reduce(0) { $0 + $1.value.count }
      if parts.isEmpty || size + more > bytes {
        parts.append([])
        size = 0
      }
      size += more
      parts[parts.count - 1].append(request)
    }
    return parts
  }

  static func perform(_ requests: [Asked], on session: PostgresSession, telling news: LogNews) async
  {
    let appends = requests.map(\.question)
    let entries = appends.flatMap(\.batch)
    let logs = appends.flatMap { append in append.batch.map { _ in append.log } }
    let append = PostgresCall(
      "append", .texts(logs), .texts(entries.map(\.key)), .bytes(entries.map(\.value)),
      .integer(Int64.random(in: 1 ... .max)))
    do {
      let all = try await session.call([append, PostgresCall("make_durable"), news.tell]) { rows in
        rows.indices.map {
          Stored(
            receipt: Receipt(position: rows.position($0), isRepeated: rows.integer($0, 3) != 0),
            markBefore: rows.integer($0, 4))
        }
      }
      var rest = all[...]
      for request in requests {
        let count = request.question.batch.count
        request.reply(.success(Array(rest.prefix(count))))
        rest = rest.dropFirst(count)
      }
    } catch {
      for request in requests { request.reply(.failure(error)) }
    }
  }
}

/// What a log wants to read, to be carried out with what others do.
struct LogRead: Sendable {
  typealias Asked = Request<LogRead, Result<PostgresPage?, any Error>>
  let log: String
  let known: Position?
  let following: LogNews.Following

  static func perform(
    _ requests: [Asked], on session: PostgresSession, registeringWith news: LogNews
  ) async {
    let requests = requests.filter(\.isAwaited)
    let reads = requests.map(\.question)
    guard !reads.isEmpty else { return }
    do {
      try await news.register(reads.map(\.following), on: session)
      let pages = try await session.call([PostgresPage.call(for: reads)]) { rows in
        let lines = Dictionary(grouping: rows.indices) { Int(rows.integer($0, 5)) - 1 }
        return try reads.enumerated().map { place, read in
          try PostgresPage(rows, at: lines[place] ?? [], after: read.known, sharedBy: reads.count)
        }
      }
      for (request, page) in zip(requests, pages) { request.reply(.success(page)) }
    } catch {
      for request in requests { request.reply(.failure(error)) }
    }
  }
}

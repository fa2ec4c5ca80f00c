import AsyncChannels
import Foundation
import SharedChannels

/// A function of `schema.sql`. It is carried out in another task: if the asker's is cancelled, the connection stays, which
/// others use.
struct LogCall: Sendable {
  typealias Asked = Request<LogCall, Result<any Sendable, any Error>>
  let calls: [PostgresCall]
  let read: @Sendable (PostgresRows) throws -> any Sendable

  static func perform(_ request: Asked, on session: PostgresSession) async {
    guard request.isAwaited else { return }
    let question = request.question
    do {
      request.reply(.success(try await session.call(question.calls, question.read)))
    } catch {
      request.reply(.failure(error))
    }
  }
}

/// What a log appends, to be carried out with what others do.
struct LogAppend: Sendable {
  typealias Asked = Request<LogAppend, Result<[Stored], any Error>>
  let batch: [Keyed<Data>]
  let following: LogNews.Following

  struct Stored: Sendable {
    let receipt: Receipt
    /// That of the entry before.
    let markBefore: Int64
  }

  static let bytes = 8 << 20
  private static let count = 2_000

  /// What is carried out in one step: so many entries and bytes, or a single request.
  static func parts(of requests: [Asked]) -> [[Asked]] {
    var (parts, entries, size) = ([[Asked]](), 0, 0)
    for request in requests where request.isAwaited {
      let batch = request.question.batch
      let more = batch.reduce(0) { $0 + $1.value.count }
      if parts.isEmpty || size + more > bytes || entries + batch.count > count {
        parts.append([])
        (entries, size) = (0, 0)
      }
      entries += batch.count
      size += more
      parts[parts.count - 1].append(request)
    }
    return parts
  }

  static func perform(
    _ requests: [Asked], on session: PostgresSession, telling news: LogNews
  ) async {
    let appends = requests.map(\.question)
    let entries = appends.flatMap(\.batch)
    let logs = appends.flatMap { append in append.batch.map { _ in append.following.log } }
    let append = PostgresCall(
      "append", .texts(logs), .texts(entries.map(\.key)), .bytes(entries.map(\.value)),
      .integer(Int64.random(in: 1 ... .max)))
    do {
      var rest = try await session.call([append, PostgresCall("make_durable"), news.tell]) { rows in
        guard rows.indices.count == entries.count else {
          throw LogFailure.unreachable("a log was removed meanwhile")
        }
        return rows.indices.map {
          Stored(
            receipt: Receipt(position: rows.position($0), isRepeated: rows.integer($0, 3) != 0),
            markBefore: rows.integer($0, 4))
        }[...]
      }
      var stored: [[Stored]] = []
      for request in requests {
        let (following, batch) = (request.question.following, request.question.batch)
        stored.append(Array(rest.prefix(batch.count)))
        rest = rest.dropFirst(batch.count)
        // The reader hears of it whether somebody waits for the receipts or not.
        following.add(zip(stored[stored.count - 1], batch))
        request.reply(.success(stored[stored.count - 1]))
      }
      for (log, places) in Dictionary(grouping: appends.indices, by: { appends[$0].following.log })
      {
        let handles = places.map { appends[$0].following }
        let isAlone = handles.allSatisfy { $0 === handles[0] }
        let newest = DurableEntry(newestOf: places.flatMap { stored[$0] }.map(\.receipt))
        news.read(log, upTo: newest, except: isAlone ? handles[0] : nil)
      }
    } catch {
      for request in requests {
        // It may be stored.
        news.read(request.question.following.log)
        request.reply(.failure(error))
      }
    }
  }
}

/// What a log wants to read, to be carried out with what others do.
struct LogRead: Sendable {
  typealias Asked = Request<LogRead, Result<PostgresPage?, any Error>>
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
      let moments = reads.map(\.following.moment)
      let call = PostgresPage.call(for: reads, upTo: moments.map(\.durable))
      let pages = try await session.call([call]) { rows in
        let lines = Dictionary(grouping: rows.indices) { Int(rows.integer($0, 5)) - 1 }
        return try reads.enumerated().map { place, read in
          try PostgresPage(rows, at: lines[place] ?? [], after: read.known, sharedBy: reads.count)
        }
      }
      for (place, (request, page)) in zip(requests, pages).enumerated() {
        let read = reads[place]
        switch page {
        case nil: read.following.note(read.known, asOf: moments[place])
        case .entries(let entries, isLast: true)?:
          read.following.note(entries.last?.position, asOf: moments[place])
        case .entries?, .otherEpoch?, .isLost?, .gap?: break
        }
        request.reply(.success(page))
      }
    } catch {
      for request in requests { request.reply(.failure(error)) }
    }
  }
}

import Foundation
import SharedChannels

extension NATSStream {
  /// What the subject of a version has.
  private struct Pointer: Codable {
    let id: String
    let parts: Int
    let index: Int64
    let mark: Int64
  }

  private static let partBytes = 1 << 20

  func snapshot(version: Int) throws -> Snapshot? {
    try synchronize()
    guard let pointer = try pointer(version) else { return nil }
    var data = Data()
    for number in 0..<pointer.parts {
      guard let part = try last("s.\(version).\(pointer.id).\(number)") else {
        throw LogFailure.unreachable("another snapshot was stored meanwhile")
      }
      data.append(part.data ?? Data())
    }
    let position = Position(
      epoch: try epoch().epoch ?? "", index: pointer.index, mark: pointer.mark)
    return Snapshot(version: version, position: position, data: data)
  }

  /// The parts come first, under a name of their own, and then what points to them. Of two that store one at the same
  /// time, the older may win: that costs the next start time, and nothing else.
  func keep(_ snapshot: Snapshot) throws {
    try synchronize()
    let old = try pointer(snapshot.version)
    guard snapshot.position.index > old?.index ?? 0, try epoch().epoch == snapshot.position.epoch,
      try place(before: snapshot.position) != nil
    else { return }
    let starts = Array(stride(from: 0, to: snapshot.data.count, by: Self.partBytes))
    let pointer = Pointer(
      id: UUID().uuidString, parts: starts.count, index: snapshot.position.index,
      mark: snapshot.position.mark)
    for (number, start) in starts.enumerated() {
      let part = snapshot.data.dropFirst(start).prefix(Self.partBytes)
      try replace([("s.\(snapshot.version).\(pointer.id).\(number)", Data(part))])
    }
    try replace([("s.\(snapshot.version)", try JSONEncoder().encode(pointer))])
    guard let old else { return }
    let filter = #"{"filter": "\#(name).s.\#(snapshot.version).\#(old.id).*"}"#
    try request("STREAM.PURGE", filter).requireSuccess()
  }

  private func pointer(_ version: Int) throws -> Pointer? {
    guard let data = try last("s.\(version)")?.data else { return nil }
    let pointer = try JSONDecoder().decode(Pointer.self, from: data)
    guard pointer.parts >= 0, pointer.index >= 0 else {
      throw LogFailure.unreachable("the snapshot of version \(version) cannot be read")
    }
    return pointer
  }
}

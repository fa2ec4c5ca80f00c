/// The actors of a run, as long as they live.
struct KnownActors {
  private struct Known {
    weak var actor: (any Actor)?
  }

  private var all: [UInt: Known] = [:]
  private var limit = 64

  /// - Parameter actor: The address of one that has a job to run, and so is alive: what this reads is not the last
  ///   reference to it, and nothing is destroyed here.
  func contains(_ actor: UInt) -> Bool {
    all[actor]?.actor != nil
  }

  /// - Parameter actor: See `contains`.
  /// - Returns: What the caller has to let go of with no lock held. It may be the last reference to it.
  mutating func insert(_ actor: UInt) -> [any Actor] {
    if contains(actor) { return [] }
    guard let address = UnsafeRawPointer(bitPattern: actor) else { return [] }
    let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    all[actor] = Known(actor: object as? any Actor)
    if all.count <= limit { return [] }
    var seen: [any Actor] = []
    all = all.filter { _, known in
      guard let actor = known.actor else { return false }
      seen.append(actor)
      return true
    }
    limit = max(64, 2 * all.count)
    return seen
  }
}

import AsyncChannels
import Synchronization

/// Which task is at work on which element: from when it takes one until it asks the same subscription
/// again, or its loop ends (`LoopEnd`). Only elements of logs that are recorded are here.
///
/// One lock for the program, which is taken with no lock of a log held.
final class CauseTable: CauseFollower {
  static let shared = CauseTable()

  /// Whose element it is: a subscription's of a recorded log, or another's who works on one.
  private struct Owner: Equatable {
    let object: ObjectIdentifier
    /// Of several subscriptions to the log.
    var subscriber = 0
  }

  private struct Entry {
    let owner: Owner
    let log: LogRecorder
    let element: Int
  }

  /// By task; what was taken last is last. Tasks that end leave their entries until these are
  /// cleaned out.
  private let entries = Locked<[UInt64: [Entry]]>([:])
  private let recordings = Locked(0)
  private let limit = Atomic(1024)
  /// The recordings of the whole program.
  private let programs = Locked<[EventStore]>([])

  func recordingBegins() {
    recordings.withLock { recordings in
      recordings += 1
      Causes.follow(by: self)
    }
  }

  func programRecordingBegins(_ store: EventStore) {
    programs.withLock { $0.append(store) }
  }

  func made(_ log: any Followed, of elementType: Any.Type) {
    for store in programs.withLock({ $0 }) {
      let name = LaneName(name: "\(elementType)".clipped(to: 40, ellipsis: "…"), isMissing: true)
      _ = LogRecorder(name, on: store, kind: .channel, following: log)
    }
  }

  func begins(_ viewModel: AnyObject) {
    for store in programs.withLock({ $0 }) { store.nameLanes(of: viewModel) }
  }

  func recordingEnds(_ store: EventStore) {
    programs.withLock { $0.removeAll { $0 === store } }
    recordings.withLock { recordings in
      recordings -= 1
      if recordings == 0 { Causes.follow(by: nil) }
    }
    clean { $0.log.owner !== store }
  }

  /// Of each recording what the running task took last.
  var current: [Origin] {
    var found: [Entry] = []
    let all = entries(of: CurrentTask.number)
    for entry in all.reversed() where !found.contains(where: { $0.log.owner === entry.log.owner }) {
      found.append(entry)
    }
    return found.map { Origin(observer: $0.log, element: $0.element) }
  }

  /// What a task took last in this recording.
  func element(in store: EventStore, takenBy task: UInt64?) -> Int? {
    entries(of: task).last { $0.log.owner === store }?.element
  }

  private func entries(of task: UInt64?) -> [Entry] {
    guard let task else { return [] }
    return entries.withLock { $0[task] ?? [] }
  }

  /// A task has taken an element from a subscription to this log.
  func took(_ element: Int, from log: LogRecorder, by subscriber: Int, in task: UInt64?) {
    let owner = Owner(object: ObjectIdentifier(log), subscriber: subscriber)
    add(CollectionOfOne(Entry(owner: owner, log: log, element: element)), of: owner, in: task)
  }

  func took(_ origins: [Origin], from owner: ObjectIdentifier) {
    let owner = Owner(object: owner)
    let new = origins.compactMap { origin in
      (origin.observer as? LogRecorder).map {
        Entry(owner: owner, log: $0, element: origin.element)
      }
    }
    if !new.isEmpty { add(new, of: owner, in: CurrentTask.number) }
  }

  /// What a recording no longer keeps is left out, with the lock held: an entry for a recording that is
  /// dropped meanwhile is either refused here, or there when `recordingEnds` clears them out.
  private func add(_ new: some Collection<Entry>, of owner: Owner, in task: UInt64?) {
    guard let task else { return }
    let count = entries.withLock { entries in
      let isAny = Self.replace(what: owner, in: &entries[task, default: []], by: new)
      if !isAny { entries[task] = nil }
      return entries.count
    }
    if count > limit.load(ordering: .relaxed) {
      // Of tasks that have ended, the recording forgets the elements sooner or later.
      let rest = clean { $0.log.keeps($0.element) }
      limit.store(max(1024, 2 * rest), ordering: .relaxed)
    }
  }

  /// Returns whether there are any then.
  private static func replace(
    what owner: Owner, in all: inout [Entry], by new: some Collection<Entry>
  ) -> Bool {
    all.removeAll { $0.owner == owner }
    for entry in new where entry.log.keeps(entry.element) { all.append(entry) }
    return !all.isEmpty
  }

  /// The running task asks a subscription again, or has left it.
  func forget(_ log: LogRecorder, _ subscriber: Int) {
    forget(Owner(object: ObjectIdentifier(log), subscriber: subscriber))
  }

  func forget(_ owner: ObjectIdentifier) {
    forget(Owner(object: owner))
  }

  private func forget(_ owner: Owner) {
    guard let task = CurrentTask.number else { return }
    entries.withLock { entries in
      entries[task]?.removeAll { $0.owner == owner }
      if entries[task]?.isEmpty == true { entries[task] = nil }
    }
  }

  /// `isKept` may take a store's lock: that comes after this one.
  ///
  /// - Returns: How many tasks are left.
  @discardableResult
  private func clean(keeping isKept: (Entry) -> Bool) -> Int {
    entries.withLock { entries in
      entries = entries.mapValues { $0.filter(isKept) }.filter { !$0.value.isEmpty }
      return entries.count
    }
  }

  func refused(_ element: Any, near logs: [any Followed]) {
    let all = logs.flatMap(\.observers).compactMap { $0 as? LogRecorder }
    var stores: [ObjectIdentifier] = []
    for log in all + InletCall.current.flatMap(\.logs) {
      let store = ObjectIdentifier(log.owner)
      if stores.contains(store) { continue }
      stores.append(store)
      log.owner.noteRefused(Sending(to: log, element), near: log.lane)
    }
  }

  /// If nothing is sent that a recording of this inlet knows, the inlet is the end of the way.
  func carry(_ element: Any, through inlet: MadeInlet, _ send: () -> Bool) {
    let logs = inlet.observers.compactMap { $0 as? LogRecorder }
    let sendings = logs.map { Sending(to: $0) }
    let call = InletCall(inlet, recordedAs: logs)
    guard call.carry(send) else { return }
    for (log, sending) in zip(logs, sendings) where !call.wasSeen(by: log.owner) {
      sending.pendingText.text = log.describe(element, through: sending.inletCalls)
      log.noteSent(by: sending)
    }
  }
}

import Foundation
import Synchronization

/// Counts the steps of a piece of synchronous code: how often it retains or releases an object, or
/// makes one. So what a cost depends on is shown without a clock.
///
/// Code that goes through subscribers, their queues or their doorbells, which are objects, takes at
/// least a step for each, since tests are built without optimization. Steps on numbers, and on
/// memory that is managed by hand, are not seen.
///
/// The Swift runtime can do these things by way of pointers, for instruments, which are replaced for
/// as long as is counted. On Linux that way does not know strings that need no releasing: neither
/// the code that is counted nor any other thread may copy one meanwhile. So it is to be used in a
/// process of its own (`assertSurvives`).
enum StepCounter {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func steps(of code: () -> Void) throws -> Int {
    guard let hooks else {
      throw Failure(description: "the steps of this Swift runtime cannot be counted")
    }
    counted.pointee = 0
    countingThread.store(thisThread, ordering: .relaxed)
    hooks.replace()
    code()
    hooks.restore()
    return counted.pointee
  }

  /// Fails unless the counts are all the same, as they are where nothing grows.
  static func expectSame(_ what: String, _ counts: [Int]) throws {
    guard let first = counts.first, first > 0, counts.allSatisfy({ $0 == first }) else {
      throw Failure(description: "the steps of \(what) grow: \(counts)")
    }
  }

  /// Fails unless each count is as much above the one before as all others are.
  static func expectEvenlyGrowing(_ what: String, _ counts: [Int]) throws {
    let growths = zip(counts, counts.dropFirst()).map { $1 - $0 }
    guard let first = growths.first, growths.allSatisfy({ $0 == first && $0 > 0 }) else {
      throw Failure(description: "the steps of \(what) do not grow evenly: \(counts)")
    }
  }

  private static let hooks = Hooks()
}

/// Only this thread's steps are counted.
private let countingThread = Atomic<UInt>(0)
/// `nonisolated(unsafe)`: only the counting thread uses it.
nonisolated(unsafe) private let counted = UnsafeMutablePointer<Int>.allocate(capacity: 1)
/// `nonisolated(unsafe)`: written before the hooks are used.
nonisolated(unsafe) private let original = UnsafeMutablePointer<Functions>.allocate(capacity: 1)

private var thisThread: UInt {
  #if os(Linux)
    pthread_self()
  #else
    UInt(bitPattern: pthread_self())
  #endif
}

private func countStep() {
  if countingThread.load(ordering: .relaxed) == thisThread { counted.pointee += 1 }
}

private struct Functions {
  typealias Object = UnsafeMutableRawPointer
  typealias Allocate = @convention(c) (UnsafeRawPointer?, Int, Int) -> Object?
  typealias Retain = @convention(c) (Object?) -> Object?
  typealias RetainMany = @convention(c) (Object?, UInt32) -> Object?
  typealias Release = @convention(c) (Object?) -> Void
  typealias ReleaseMany = @convention(c) (Object?, UInt32) -> Void

  let allocate: Allocate
  let retain: Retain
  let retainMany: RetainMany
  let release: Release
  let releaseMany: ReleaseMany

  static let counting = Functions(
    allocate: {
      countStep()
      return original.pointee.allocate($0, $1, $2)
    },
    retain: {
      countStep()
      return original.pointee.retain($0)
    },
    retainMany: {
      countStep()
      return original.pointee.retainMany($0, $1)
    },
    release: {
      countStep()
      original.pointee.release($0)
    },
    releaseMany: {
      countStep()
      original.pointee.releaseMany($0, $1)
    })
}

/// Where the runtime keeps its pointers, and the switch that says whether it uses them.
private struct Hooks: @unchecked Sendable {
  private let places: [UnsafeMutableRawPointer]
  private let isOn: UnsafeMutableRawPointer

  init?() {
    let program = dlopen(nil, RTLD_NOW)
    places = ["allocObject", "retain", "retain_n", "release", "release_n"].compactMap {
      dlsym(program, "_swift_\($0)")
    }
    let name = "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly"
    guard places.count == 5, let isOn = dlsym(program, name) else { return nil }
    self.isOn = isOn
    original.initialize(
      to: Functions(
        allocate: places[0].load(as: Functions.Allocate.self),
        retain: places[1].load(as: Functions.Retain.self),
        retainMany: places[2].load(as: Functions.RetainMany.self),
        release: places[3].load(as: Functions.Release.self),
        releaseMany: places[4].load(as: Functions.ReleaseMany.self)))
  }

  func replace() {
    set(Functions.counting)
    isOn.storeBytes(of: true, as: Bool.self)
  }

  func restore() {
    isOn.storeBytes(of: false, as: Bool.self)
    set(original.pointee)
  }

  private func set(_ functions: Functions) {
    places[0].storeBytes(of: functions.allocate, as: Functions.Allocate.self)
    places[1].storeBytes(of: functions.retain, as: Functions.Retain.self)
    places[2].storeBytes(of: functions.retainMany, as: Functions.RetainMany.self)
    places[3].storeBytes(of: functions.release, as: Functions.Release.self)
    places[4].storeBytes(of: functions.releaseMany, as: Functions.ReleaseMany.self)
  }
}

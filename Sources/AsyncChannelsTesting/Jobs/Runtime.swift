import AsyncChannels
import AsyncChannelsRecording

/// All that test time takes from the runtime, and that no document promises: where it keeps the parts of jobs and
/// tasks (5.7 to 6.3, 64 bits), and functions that the standard library has no name for. ARCHITECTURE says what to
/// do when one of them changes. `RuntimeCheck` looks, before the first test of a process, whether they are as this says.
enum Runtime {
  // In bytes from the beginning of a job, which for a task's job is the task.
  private static let flags = 0x20
  private static let resumeFunction = 0x38
  private static let context = 0x40
  private static let status = 0x60
  /// In the separate job of an actor.
  private static let actor = 0x40

  // Of the flags. The lowest byte is the kind.
  private static let kind: UInt = 0xFF
  private static let taskKind: UInt = 0
  private static let (actorInline, actorSeparate): (UInt, UInt) = (192, 193)
  private static let isAsyncLet: UInt32 = 1 << 28

  // Of the status.
  private static let isRunning: UInt32 = 0x800
  private static let isReady: UInt32 = 0x1000
  private static let isOver: UInt32 = 0x2000

  static let isKnown = MemoryLayout<Int>.size == 8

  /// What the runtime gives a job of its pool: an executor of two zero words, no actor.
  static let noActor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

  /// See `OwnedJob.taskNumber`.
  static func taskNumber(of job: UnownedJob) -> UInt64? {
    let pointer = pointer(job)
    return jobFlags(pointer) & kind == taskKind ? jobNumber(pointer) : nil
  }

  /// The address of the actor that runs its own jobs in this one; nil for others. It is behind the job, or the job is
  /// a part of the actor.
  static func actor(of job: UnownedJob) -> UInt? {
    guard isKnown else { return nil }
    let pointer = pointer(job)
    return switch jobFlags(pointer) & kind {
    case actorInline: UInt(bitPattern: pointer)
    case actorSeparate: pointer.load(fromByteOffset: actor, as: UInt.self)
    default: nil
    }
  }

  /// The task of a job. Nil for what is no task of its own, or lives in its parent's memory (`async let`). Nil on Apple's
  /// systems, where a reference to something that is no object of a class is not allowed.
  static func task(of job: UnownedJob) -> AnyObject? {
    #if canImport(Darwin)
      return nil
    #else
      let pointer = pointer(job)
      let flags = pointer.load(fromByteOffset: flags, as: UInt32.self)
      guard isKnown, UInt(flags) & kind == taskKind, flags & isAsyncLet == 0 else { return nil }
      return unsafeBitCast(pointer, to: AnyObject.self)
    #endif
  }

  static func hasEnded(_ task: AnyObject) -> Bool { status(of: task) & isOver != 0 }

  /// The functions in which a task is suspended, from the innermost, as debuggers show them. Empty if it runs or has
  /// ended.
  ///
  /// - Parameter evenIfReady: Whether a task is wanted that is ready, too: whoever asks runs the jobs, so it does not
  ///   begin meanwhile.
  static func functions(of task: AnyObject, evenIfReady: Bool) -> [String] {
    let excluded = isRunning | isOver | (evenIfReady ? 0 : isReady)
    guard status(of: task) & excluded == 0 else { return [] }
    return withExtendedLifetime(task) {
      let task = unsafeBitCast(task, to: UnsafeRawPointer.self)
      var addresses = [task.load(fromByteOffset: resumeFunction, as: UInt.self)]
      var context = task.load(fromByteOffset: Self.context, as: UnsafeRawPointer?.self)
      while let frame = context, addresses.count < 40 {
        addresses.append(frame.load(fromByteOffset: 8, as: UInt.self))
        context = frame.load(as: UnsafeRawPointer?.self)
      }
      return addresses.compactMap { FunctionName.of($0) }
    }
  }

  static func enqueueInPool(_ job: UnownedJob) { enqueueGlobal(job) }

  /// How many references there are to an object.
  static func referenceCount(of object: UnsafeRawPointer) -> UInt {
    isKnown ? retainCount(object) : 0
  }

  private static func status(of task: AnyObject) -> UInt32 {
    withExtendedLifetime(task) {
      unsafeBitCast(task, to: UnsafeRawPointer.self).load(fromByteOffset: status, as: UInt32.self)
    }
  }

  private static func pointer(_ job: UnownedJob) -> UnsafeRawPointer {
    unsafeBitCast(job, to: UnsafeRawPointer.self)
  }
}

/// Both are for debuggers and tools (since 5.5 and 5.9). They read constants of a job, which is alive until it has run.
@_silgen_name("swift_task_getJobFlags")
private func jobFlags(_ job: UnsafeRawPointer) -> UInt

@_silgen_name("swift_task_getJobTaskId")
private func jobNumber(_ job: UnsafeRawPointer) -> UInt64

@_silgen_name("swift_task_enqueueGlobal")
private func enqueueGlobal(_ job: UnownedJob)

@_silgen_name("swift_retainCount")
private func retainCount(_ object: UnsafeRawPointer) -> UInt

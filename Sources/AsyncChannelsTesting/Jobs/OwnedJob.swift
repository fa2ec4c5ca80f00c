/// A job that runs when the test says so, and what it has to run on.
struct OwnedJob: Sendable {
  enum Place {
    /// What has no actor; and an actor that runs its own jobs, one after the other.
    case pool
    case mainActor
  }

  let job: UnownedJob
  let place: Place

  @MainActor
  func run() {
    switch place {
    case .pool: job.runSynchronously(on: Self.noActor)
    case .mainActor: job.runSynchronously(on: MainActor.sharedUnownedExecutor)
    }
  }

  /// What the runtime itself gives a job of its pool: an executor of two zero words, no actor. The standard
  /// library has no name for it.
  private static let noActor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

  /// The number that no other task of the program has, and which is higher than that of each task made
  /// before; nil for a job that is no task's.
  var taskNumber: UInt64? {
    let pointer = unsafeBitCast(job, to: UnsafeRawPointer.self)
    // The lowest byte is the kind: zero is a task's.
    return jobFlags(pointer) & 0xFF == 0 ? jobNumber(pointer) : nil
  }

  /// For the job in which an actor runs its own jobs, which actor that is; nil for others.
  ///
  /// It reads where the runtime (5.7 to 6.3, 64 bits) keeps the actor: behind the job, or the job is a part of
  /// the actor.
  var actor: UInt? {
    let pointer = unsafeBitCast(job, to: UnsafeRawPointer.self)
    if MemoryLayout<Int>.size != 8 { return nil }
    return switch jobFlags(pointer) & 0xFF {
    case Self.actorInline: UInt(bitPattern: pointer)
    case Self.actorSeparate: pointer.load(fromByteOffset: 0x40, as: UInt.self)
    default: nil
    }
  }

  private static let (actorInline, actorSeparate): (UInt, UInt) = (192, 193)
}

/// Both are the runtime's, for debuggers and tools (since 5.5 and 5.9). They read constants of a job, which is
/// alive until it has run.
@_silgen_name("swift_task_getJobFlags")
private func jobFlags(_ job: UnsafeRawPointer) -> UInt

@_silgen_name("swift_task_getJobTaskId")
private func jobNumber(_ job: UnsafeRawPointer) -> UInt64

extension OwnedJob {
  /// Gives it to whoever would have had it without a test.
  func enqueueAsUsual() {
    switch place {
    case .pool: enqueueInPool(job)
    case .mainActor: MainActor.shared.enqueue(job)
    }
  }
}

@_silgen_name("swift_task_enqueueGlobal")
private func enqueueInPool(_ job: UnownedJob)

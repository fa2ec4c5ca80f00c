import Foundation
import SharedChannels
import SharedLogConformance
import SharedLogNATS
import XCTest

/// Over one server of the tests' own, and over a cluster of three, which `check` starts. Skipped without them.
final class NATSLogTests: XCTestCase {
  private let logName = "log" + UUID().uuidString.lowercased().filter(\.isHexDigit).prefix(16)

  private func engine() throws -> NATSEngine { try .ofTests() }

  private func cluster() throws -> NATSEngine { try .ofTests("SHARED_LOG_NATS_CLUSTER") }

  func test_itConforms() async throws {
    let engine = try engine()
    for check in LogConformance.Check.allCases { try await LogConformance(engine).run(check) }
  }

  func test_overAClusterItConforms() async throws {
    let engine = try cluster()
    // A cluster takes seconds to start, and it starts anew for each backup.
    for check in LogConformance.Check.allCases {
      try await LogConformance(engine, limit: .seconds(180)).run(check)
    }
  }

  func test_aServerThatCrashesLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(on: engine(), rounds: 3, fault: "crash")
  }

  func test_aClusterOfWhichAServerCrashesLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(on: cluster(), rounds: 3, fault: "kill-one", mend: "start")
  }

  func test_aClusterThatCrashesLosesNothingAndNoStateGoesBack() async throws {
    try await requireNothingIsLost(on: cluster(), rounds: 1, fault: "crash")
  }

  func test_aClusterOfWhichTheLeaderStandsStillLosesNothingAndNoStateGoesBack() async throws {
    // The fault lasts longer than any limit of a client.
    try await requireNothingIsLost(
      on: cluster(), rounds: 1, fault: "freeze-leader", lasting: .seconds(12), mend: "thaw")
  }

  func test_aNetworkThatIsCutLosesNothingAndNoStateGoesBack() async throws {
    let (engine, name) = (try engine(), logName)
    let cable = try Cable(to: String(engine.address.dropFirst("nats://".count)))
    defer { cable.unplug() }
    try await SharedLogTests.requireNothingIsLost(rounds: 1) {
      NATSLog(try NATSAddress("nats://\(cable.address)"), name: name)
    } fault: {
      try await cable.cutForAWhile()
    }
  }

  func test_aDiskThatIsFullLosesNothingAndNoStateGoesBack() async throws {
    _ = try engine()
    let (disk, name) = (try SmallDisk(megabytes: 64), logName)
    let control = NATSControl(folder: disk.folder.path)
    let address = try control("init", "1").trimmingCharacters(in: .newlines)
    try control("start")
    defer {
      _ = try? control("stop")
      disk.remove()
    }
    try await SharedLogTests.requireNothingIsLost(rounds: 2) {
      NATSLog(try NATSAddress(address), name: name)
    } fault: {
      try await disk.fillForAWhile()
      // A server may disable JetStream when it has no space. Then an operator has to start it again.
      try control("crash")
    }
  }

  /// - Parameters:
  ///   - duration: How long a fault lasts at least that `mend` ends.
  ///   - mend: Nil if the service cannot go on during the fault, so that `fault` ends it.
  private func requireNothingIsLost(
    on engine: NATSEngine, rounds: Int, fault: String, lasting duration: Duration = .zero,
    mend: String? = nil
  ) async throws {
    let (name, control) = (logName, engine.control)
    try await SharedLogTests.requireNothingIsLost(rounds: rounds) {
      try engine.open(name)
    } fault: {
      try control(fault, name)
    } mend: { began in
      guard let mend else { return }
      try await Task.sleep(until: began + duration, clock: .continuous)
      try control(mend, name)
    }
  }

  func test_aServerThatIsNotThereIsUnreachable() async throws {
    _ = try engine()
    let log = NATSLog(try NATSAddress("nats://127.0.0.1:1"))
    try await requireUnreachable { _ = try await log.end() }
  }

  func test_aStreamOfAnotherKindAndTooFewServersAreRefused() async throws {
    let engine = try engine()
    _ = try await engine.open(logName).end()
    let log = NATSLog(try NATSAddress(engine.address), name: logName, replicas: 3)
    do {
      _ = try await log.end()
      XCTFail("the stream has one replica")
    } catch LogFailure.refused(let reason) {
      XCTAssertTrue(reason.contains("is not set up for a log with 3 replicas"), reason)
    }
  }

  func test_replicasOnServersOfAVersionWhoseReplicasComeToDifferAreRefused() async throws {
    let engine = try engine()
    let version = try execute("nats-server", ["--version"])
    guard version.contains(/v2\.([0-9]|10)\./) else {
      throw XCTSkip("replicas are not refused by \(version)")
    }
    let log = NATSLog(try NATSAddress(engine.address), name: logName, replicas: 3)
    do {
      _ = try await log.end()
      XCTFail("the server makes a stream with replicas")
    } catch LogFailure.refused(let reason) {
      XCTAssertTrue(reason.contains("NATS servers of version 2.11 or later"), reason)
    }
    // Nothing was made that has to be removed.
    _ = try await engine.open(logName).end()
  }

  func test_aBatchThatIsTooLargeForAMessageIsRefused() async throws {
    let log = try engine().open(logName)
    let batch = (0..<5).map { Keyed(key: "k\($0)", Data(count: 4 << 20)) }
    do {
      _ = try await log.append(batch)
      XCTFail("the server takes 16 MB")
    } catch LogFailure.refused(let reason) {
      XCTAssertTrue(reason.contains("max_payload"), reason)
    }
    let receipts = try await log.append(Array(batch.prefix(2)))
    XCTAssertEqual(receipts.map(\.position.index), [1, 2])
  }

  func test_anAddressThatIsNotValidIsNotShown() {
    for text in [
      "", "localhost:4222", "http://host:4222", "nats://", "nats://ann:se/cret@host:4222",
      "nats://host,x", "nats://ann:5#cret@host", "nats://ann:5?cret@host", "nats://:cret@host",
      "nats://ann:secret@a,nats://ann:cret@b",
    ] {
      XCTAssertThrowsError(try NATSAddress(text), text) { error in
        XCTAssertFalse("\(error)".contains("cret"), "\(error)")
      }
    }
  }

  func test_anAddressShowsItsServersWithoutPasswords() throws {
    for (text, shown) in [
      ("nats://host", "nats://host"), ("tls://ann:secret@host:4222", "tls://host:4222"),
      ("nats://secret@a:1, nats://[::1]:2", "nats://a:1,nats://[::1]:2"),
    ] {
      let address = try NATSAddress(text, credentials: "user.creds")
      XCTAssertEqual("\(address)", shown)
      var dumped = ""
      dump(address, to: &dumped)
      dump(NATSLog(address), to: &dumped)
      XCTAssertTrue(dumped.contains(shown.prefix(8)), dumped)
      XCTAssertFalse((dumped + String(reflecting: address)).contains("secret"), dumped)
    }
  }

  func test_aPasswordIsDecoded() async throws {
    let engine = try engine()
    let host = engine.address.dropFirst("nats://".count)
    let log = NATSLog(try NATSAddress("nats://ann:se%40cret%2F50%25@\(host)"), name: logName)
    _ = try await log.end()
    let intruder = NATSLog(try NATSAddress("nats://ann:guess@\(host)"), name: logName)
    try await requireUnreachable { _ = try await intruder.end() }
  }

  func test_aServerThatDoesNotEncryptIsNotUsedIfTheAddressDemandsIt() async throws {
    let host = try engine().address.dropFirst("nats://".count)
    let log = NATSLog(try NATSAddress("tls://\(host)"), name: logName)
    try await requireUnreachable { _ = try await log.end() }
  }
}

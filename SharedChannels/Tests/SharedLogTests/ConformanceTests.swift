import Foundation
import SharedChannels
import SharedLogConformance
import XCTest

final class ConformanceTests: XCTestCase {
  func test_aLogInTheMemoryConforms() async throws {
    for check in LogConformance.Check.allCases {
      try await LogConformance(MemoryEngine()).run(check)
    }
  }

  func test_eachPlantedFaultIsFoundByItsCheck() async throws {
    for fault in Fault.allCases {
      let suite = LogConformance(MemoryEngine(fault: fault), limit: .seconds(fault.limit))
      do {
        try await suite.run(fault.check)
        XCTFail("\(fault.check) has not found that a log \(fault)")
      } catch let failure as ConformanceFailure {
        print("\(fault): \(failure)")
      }
    }
  }

  func test_eachCheckHasAFaultThatItFinds() {
    let checks = Set(Fault.allCases.map(\.check)).union([.killedAppender])
    XCTAssertEqual(checks, Set(LogConformance.Check.allCases))
  }
}

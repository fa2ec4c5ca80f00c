import XCTest

@testable import AsyncChannels

/// C51f: a job on the main actor and writers on one thread never tell at the same time, and what one of them leaves
/// to the other is told once.
final class TellingTests: XCTestCase {
  func test_C51f_theOnlyWriterTellsForAJobThatComesMeanwhile() {
    let telling = Telling()
    XCTAssertTrue(telling.beginWriting())
    XCTAssertNil(telling.beginJob(0b101))
    XCTAssertNil(telling.beginJob(0b10))
    XCTAssertEqual(telling.endWriting(), 0b111)
    XCTAssertNil(telling.endWriting())
    XCTAssertNotNil(telling.beginJob(1))
  }

  func test_C51f_ofSeveralWritersTheLastTellsForTheJob() {
    let telling = Telling()
    XCTAssertTrue(telling.beginWriting())
    XCTAssertTrue(telling.beginWriting())
    XCTAssertNil(telling.beginJob(1))
    XCTAssertNil(telling.endWriting())
    XCTAssertEqual(telling.endWriting(), 1)
    XCTAssertNil(telling.endWriting())
  }

  func test_C51f_aJobTellsAllOnceForAWriterThatCameMeanwhile() {
    let telling = Telling()
    XCTAssertEqual(telling.beginJob(1), 1)
    XCTAssertFalse(telling.beginWriting())
    telling.endJob()
    XCTAssertEqual(telling.beginJob(2), .max)
    telling.endJob()
    XCTAssertEqual(telling.beginJob(4), 4)
    telling.endJob()
    XCTAssertTrue(telling.beginWriting())
  }

  func test_C51f_aWriterTellsAllForAJobThatHadTo() {
    let telling = Telling()
    XCTAssertNotNil(telling.beginJob(1))
    XCTAssertFalse(telling.beginWriting())
    telling.endJob()
    XCTAssertTrue(telling.beginWriting())
    XCTAssertNil(telling.beginJob(2))
    XCTAssertEqual(telling.endWriting(), .max)
    XCTAssertNil(telling.endWriting())
  }
}

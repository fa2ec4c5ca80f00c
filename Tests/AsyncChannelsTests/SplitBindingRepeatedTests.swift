import AsyncChannels
import TestSupport
import XCTest

/// The same text written again before its first writing was answered.
final class SplitBindingRepeatedTests: XCTestCase {
  /// Typed, added to, and the addition taken back, while the owner is slow: what is read is never
  /// older than the last write.
  func test_aTextThatIsTypedAgainIsNotReplacedByTheLateAnswerInBetween() {
    let source = CurrentValue("")
    let binding = SplitBinding(reading: source, writing: Inlet { _ in })
    for text in ["news", "newsx", "news"] { binding.value = text }
    var read: [String] = []
    for answer in ["news", "newsx", "news"] {
      source.value = answer
      read.append(binding.value)
    }
    XCTAssertEqual(read, ["news", "news", "news"])
  }
}

import AsyncChannels
import Synchronization

/// What happened, in order, whoever says so.
package final class Recorder<Element: Sendable>: Sendable {
  private let recorded = Locked<[Element]>([])

  package init() {}

  package var all: [Element] { recorded.withLock { $0 } }

  package func record(_ element: Element) {
    recorded.withLock { $0.append(element) }
  }
}

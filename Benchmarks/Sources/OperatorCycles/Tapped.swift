import AsyncChannels

/// An input whose elements are noted when somebody takes them.
struct Tapped: AsyncSequence, Sendable {
  let base: Subscription<Int>
  let ledger: Ledger

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), ledger: ledger, reader: ledger.beginReading())
  }

  struct Iterator: AsyncIteratorProtocol {
    let base: Subscription<Int>.Iterator
    let ledger: Ledger
    let reader: Int

    func next(isolation actor: isolated (any Actor)? = #isolation) async -> Int? {
      let element = await base.next(isolation: actor)
      if let element { ledger.took(element, reader: reader) }
      return element
    }
  }
}

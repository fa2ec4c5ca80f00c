import TestSupport
import XCTest

/// C85, C88: recordings in a program that was built without the names of its properties, or without any
/// reflection metadata. So each of these is a program of its own.
final class NamelessRecordingTests: XCTestCase {
  func test_C85c_withNamesEachLaneHasItsProperty() async throws {
    assertEqual(
      try await recorded(by: []),
      """
      Shop
      orders  password
      ●       │         #1 Credentials(user: "ann", password: …)
      ●       │         #2 Talkative(…)
      ●       │         #3 signIn(token: …)
      ●       │         #4 signOut
      │       ●         #5 …

      """ + named)
  }

  func test_C85e_C88e_withoutNamesALaneHasAFileAndALineAndShowsNoElement() async throws {
    assertEqual(
      try await recorded(by: ["-Xfrontend", "-disable-reflection-names"]),
      """
      Shop
      Client.swift:31#0  Client.swift:31#1
      ●                  │                  #1 …
      ●                  │                  #2 …
      ●                  │                  #3 …
      ●                  │                  #4 …
      │                  ●                  #5 …

      """ + nameless(command: "Command(…)"))
  }

  func test_C85f_C88e_withoutMetadataTheTextSaysThatNothingWasFound() async throws {
    assertEqual(
      try await recorded(by: ["-Xfrontend", "-disable-reflection-metadata"]),
      """
      No channel was found in Shop, Client.swift:31.
      If it was built without reflection metadata, name each: recording.add(channel, as: "name").
      Nothing was recorded.

      """ + nameless(command: "Command"))
  }

  /// Of a channel that is added under a name, what can be known is shown.
  private var named: String {
    """
    orders
    ●       #1 Credentials(user: "ann", password: …)
    ●       #2 Talkative(…)
    ●       #3 signIn(token: …)
    ●       #4 signOut

    """
  }

  private func nameless(command: String) -> String {
    """
    orders
    ●       #1 Credentials(…)
    ●       #2 Talkative(…)
    ●       #3 \(command)
    ●       #4 Command

    """
  }

  private func recorded(by options: [String]) async throws -> String {
    guard let client = try await ClientProgram.run(Self.client, options: options) else {
      throw XCTSkip("There is no swiftc in the path, or this has a sanitizer.")
    }
    XCTAssertFalse(client.standardError.contains("s3cr3t"), client.standardError)
    return client.standardError
  }

  private static let client = #"""
    import AsyncChannels
    import AsyncChannelsRecording
    import Foundation

    struct Credentials: Sendable {
      let user = "ann"
      let password = "s3cr3t"
    }

    struct Talkative: Sendable, CustomStringConvertible {
      let apiKey = "s3cr3t"
      var description: String { "with \(apiKey)" }
    }

    enum Command: Sendable {
      case signIn(token: String), signOut
    }

    final class Shop: Sendable {
      let orders = Channel<any Sendable>()
      let password = CurrentValue("")
    }

    @main
    struct Client {
      static func main() {
        let shop = Shop()
        let named = Recording()
        named.add(shop.orders, as: "orders")

        let recording = Recording(of: shop)
        shop.orders.send(Credentials())
        shop.orders.send(Talkative())
        shop.orders.send(Command.signIn(token: "s3cr3t"))
        shop.orders.send(Command.signOut)
        shop.password.value = "s3cr3t"
        FileHandle.standardError.write(Data((recording.text(legend: false) + named.text(legend: false)).utf8))
      }
    }
    """#
}

import ElementArray
import ElementBytes64
import ElementEmpty
import ElementEnumeration
import ElementExistential
import ElementInt
import ElementInt8
import ElementLarge
import ElementOptionalObject
import ElementString
import ElementTuple
import ElementVector128
import ElementVector64
import ElementVoid
import Foundation

/// Uses channels of elements of each layout, as a program in release does: see `Client`. Says which
/// it uses before it does, for when one of them ends the program.
@main
struct ElementTypes {
  private static let clients: [(name: String, failures: @Sendable () async -> [String])] = [
    ("Array", ElementArray.Client.failures),
    ("Bytes64", ElementBytes64.Client.failures),
    ("Empty", ElementEmpty.Client.failures),
    ("Enumeration", ElementEnumeration.Client.failures),
    ("Existential", ElementExistential.Client.failures),
    ("Int", ElementInt.Client.failures),
    ("Int8", ElementInt8.Client.failures),
    ("Large", ElementLarge.Client.failures),
    ("OptionalObject", ElementOptionalObject.Client.failures),
    ("String", ElementString.Client.failures),
    ("Tuple", ElementTuple.Client.failures),
    ("Vector128", ElementVector128.Client.failures),
    ("Vector64", ElementVector64.Client.failures),
    ("Void", ElementVoid.Client.failures),
  ]

  static func main() async {
    var failed = 0
    for client in clients {
      FileHandle.standardOutput.write(Data("\(client.name)\n".utf8))
      for failure in await client.failures() {
        print("FAILED: \(client.name): \(failure)")
        failed += 1
      }
    }
    print("\(clients.count) types of elements, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
  }
}

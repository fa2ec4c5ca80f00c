import Foundation
import TestSupport

/// Five hundred values that are no secrets and must stay readable: texts, and values under names.
enum HarmlessCorpus {
  static let texts: [String] = written + made

  private static let written: [String] = [
    "The user name or the password is wrong.", "Enter your password", "Forgot your password?",
    "Your token has expired.", "No secrets here.", "Press any key to go on", "a key change in A",
    "Pass the salt, please.", "He passed the test.", "Passengers: 3", "boarding pass",
    "Basic English",
    "Bearer of good news", "Token ring", "digest of the week", "basic income", "a cookie recipe",
    "Cookies and cream", "pinned to the top", "spinning", "secretary", "keyboard", "monkey",
    "keynote",
    "The quick brown fox jumps over the lazy dog.", "swift", "", "a", "ab", "abc", "news", "もしもの",
    "größe", "naïve café", "🇩🇪 ⭐ ✅", "one\ntwo", "tab\there", "quote \" in it", "back\\slash",
    "https://example.com/", "https://example.com/a/b?page=2&sort=name",
    "http://localhost:8080/index.html",
    "https://example.com/search?q=swift+channels&lang=en", "ftp://ftp.example.org/pub/file.txt",
    "ssh://git@github.com/org/repo.git", "mailto:ann@example.com", "ann@example.com",
    "file:///usr/local/lib/swift/linux/x86_64", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
    "/Users/ann/Projects/AsyncChannels/Sources/AsyncChannels/Channel.swift",
    "C:\\Program Files\\Swift\\bin", "Sources/AsyncChannels/Recording/Describer.swift:42",
    "com.example.app.settings.NotificationPreferences", "NewMemberViewModelFactoryDelegate",
    "numberOfSubscribersThatAreWaiting", "some-long-slug-with-many-words-in-it-for-a-page",
    "release/2026-11-22-the-new-one", "v1.2.3-beta.4+build.5", "swift-6.3.1-RELEASE",
    "iPhone17ProMax256GB", "Windows 11 24H2", "x86_64-unknown-linux-gnu", "aarch64-apple-darwin24",
    "2026-11-22", "2026-11-22T21:51:40Z", "2026-11-22T21:51:40.123456+01:00", "21:51:40",
    "12/31/2026",
    "Sun Nov 22 21:51:40 UTC 2026", "+49 30 901820", "(555) 010-9999", "1-800-555-0199",
    "10115 Berlin",
    "192.168.0.1", "2001:db8::ff00:42:8329", "00:1B:44:11:3A:B7", "127.0.0.1:8080", "#1E90FF",
    "0x7fff5fbff8a0",
    "6db1ae9", "4e85498d", "deadbeef", "commit 6db1ae9 on main", "ISBN 978-3-16-148410-0",
    "EUR 1.234,56",
    "$1,234.56", "100 %", "3.14159265358979323846", "6.02214076e23", "1700000000000",
    "1732312300123456789",
    "1234567890", "9007199254740993", "18446744073709551615", "42", "-1", "1/3", "a=b", "x = y + z",
    "name=Ann&age=7", "page=2", "color: red; width: 3px", "Content-Type: application/json",
    "Accept: text/html, */*;q=0.8", "Host: example.com", "Cache-Control: no-cache",
    "{\"name\": \"Ann\", \"age\": 7}", "[1, 2, 3]", "{\"items\": [{\"id\": 1}]}", "<p>Hello</p>",
    "SELECT name FROM members WHERE id = 7", "let x = 3", "func run() async",
    "if a == b { return }",
    "Error: file not found", "HTTP/1.1 404 Not Found", "exit status: 1", "Warning: low disk space",
    "key: C major", "code: 404", "state: open", "author: Ann", "title: The Secret Garden",
    "DecodingError.keyNotFound", "NSURLErrorDomain", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "========================", "--------------------------", "....................",
    "aaaaaaaaaaaaaaaaaaaaaaaa",
    "lorem ipsum dolor sit amet", "Supercalifragilisticexpialidocious",
    "DonaudampfschifffahrtsgesellschaftskapitänS",
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
  ]

  /// The rest: as programs make them.
  private static let made: [String] = {
    var random = SplitMix64(seed: 28)
    let words = [
      "list", "member", "view", "model", "screen", "detail", "search", "result", "item", "page",
    ]
    let makers: [(inout SplitMix64) -> String] = [
      { uuid(&$0) }, { uuid(&$0).lowercased() },
      { "\($0.number(2000...2030))-\($0.number(10...12))-\($0.number(10...28))" },
      { "\($0.number(1_500_000_000_000...1_900_000_000_000))" }, { "\($0.next() >> 30)" },
      { "v\($0.number(0...30)).\($0.number(0...99)).\($0.number(0...99))" },
      { "/\($0.pick(words))/\($0.number(1...99999))/\($0.pick(words))" },
      { "https://example.com/\($0.pick(words))/\($0.number(1...9999))?page=\($0.number(1...99))" },
      {
        $0.pick(words) + $0.pick(words).capitalized + $0.pick(words).capitalized
          + "\($0.number(1...9))"
      },
      { "\($0.pick(words)) \($0.pick(words)) \($0.number(1...99))" },
      { "\($0.number(1...255)).\($0.number(0...255)).\($0.number(0...255)).\($0.number(0...255))" },
      { "\($0.pick(words))-\($0.pick(words))-\($0.number(1...99999))" },
      { "\(Double($0.number(0...1_000_000)) / 1000)" },
    ]
    return (0..<(250 - written.count)).map { makers[$0 % makers.count](&random) }
  }()

  private static func uuid(_ random: inout SplitMix64) -> String {
    [8, 4, 4, 4, 12].map { count in
      String((0..<count).map { _ in "0123456789ABCDEF".randomElement(using: &random)! })
    }.joined(separator: "-")
  }

  /// 250 names that are none of secrets, though some come near.
  static let names: [String] = {
    let near = [
      "tokenizer", "spinning", "pinned", "opinion", "key", "secretary", "isPassable", "passenger",
      "passengers", "passThrough", "boardingPass", "passed", "passing", "compass", "bypass",
      "keyboard",
      "keyPath", "primaryKey", "foreignKey", "publicKey", "sortKey", "cacheKey", "keyword",
      "keyCode",
      "keyframe", "monkey", "author", "authorName", "authority", "authenticated", "cardinality",
      "cardTitle", "discard", "dashboard", "wildcard", "postcard", "code", "errorCode",
      "statusCode",
      "countryCode", "postalCode", "zipCode", "codeReview", "barcode", "encoder", "decoder",
      "sessionLength",
      "sessionCount", "sessionStart", "signal", "signIn", "signInResult", "signingIn", "designer",
      "assigned",
      "assignment", "account", "accountName", "number", "phoneNumber", "orderNumber", "lineNumber",
      "username", "userName", "email", "name", "nickname", "firstName", "recovery", "verification",
      "verified", "timer", "timeZone", "timestamp", "factor", "factory", "seed", "phrase",
      "paraphrase",
      "recipe", "bear", "bearing", "crumb", "cook", "cookbook", "pinch", "pineapple", "shipping",
      "mapping",
      "ping", "happiness", "pinboard", "cvcontour", "jwtf", "otpion", "ivan", "iband", "ssnake",
      "hash",
      "hashValue", "checksum", "digest", "salted", "identifier", "id", "uuid", "accessLevel",
      "accessibility",
      "private", "privateMode", "shared", "sharedList", "masterList", "backup", "backupDate",
      "license",
      "licensePlate", "apiVersion", "apiURL", "client", "clientName", "connection",
      "connectionCount",
      "host", "hostName", "deploy", "routing", "route", "security", "securityLevel", "social",
      "tax", "taxRate",
    ]
    let subjects = [
      "user", "list", "order", "member", "page", "view", "search", "item", "video", "window",
    ]
    let aspects = [
      "title", "count", "index", "state", "filter", "position", "height", "language", "owner",
      "color", "date",
      "version",
    ]
    let plain = subjects.flatMap { subject in aspects.map { subject + $0.capitalized } }
    return Array((near + plain).prefix(250))
  }()
}

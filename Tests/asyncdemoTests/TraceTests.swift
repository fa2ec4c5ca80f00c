import Foundation
import TestSupport
import XCTest

/// What each demo shows of its flow: the same text in each run.
final class TraceTests: XCTestCase {
  func test_C87a_auth() throws {
    try assertFlow(
      of: "auth", given: "iankeen\nwrong\niankeen\nsuper_secret_password\n",
      """
      AuthViewModel
      signIn  signInResult  signingIn
      ●       │             │          #1 Credentials(username: "iankeen", password: …)
      ◆       │             │          #1 taken
      ├─────────────────────●          true ← #1
      ├─────────────────────●          false ← #1
      ├───────●             │          failure(The user name or the password is wrong.) ← #1
      │       ◆             │          failure(The user name or the password is wrong.) taken
      ●       │             │          #2 Credentials(username: "iankeen", password: …)
      ◆       │             │          #2 taken
      ├─────────────────────●          true ← #2
      ├─────────────────────●          false ← #2
      ├───────●             │          success(Token(…)) ← #2
      │       ◆             │          success(Token(…)) taken

      ● sent  ◆ taken  ├ caused

      """)
  }

  func test_C87a_C87c_members() throws {
    try assertFlow(
      of: "members", given: "add Ann\nadd Bob\nremove 1\nadd invalid name\nreset\n",
      """
      NewMemberViewModel.name
      │ NewMemberViewModel.lastFailure
      │ │ NewMemberViewModel.add
      │ │ │ MembersViewModel.list
      │ │ │ │ DefaultMemberManager.commands
      │ │ │ │ │ DefaultMemberManager.results
      │ │ │ │ │ │ DefaultMemberManager.addMember
      │ │ │ │ │ │ │ DefaultMemberManager.removeMember
      │ │ │ │ │ │ │ │ DefaultMemberManager.resetMembers
      │ │ │ │ │ │ │ │ │ MembersSummaryViewModel.count
      │ ● │ │ │ │ │ │ │ │  #1 nil
      │ │ │ ● │ │ │ │ │ │  #2 []
      │ │ │ │ │ │ │ │ │ ●  #3 0
      │ ◆ │ │ │ │ │ │ │ │  #1 taken
      │ │ │ ◆ │ │ │ │ │ │  #2 taken
      │ │ │ │ │ │ │ │ │ ◆  #3 taken
      ● │ │ │ │ │ │ │ │ │  #4 "Ann"
      │ │ ○───●───○ │ │ │  #5 add(name: "Ann")
      │ │ │ │ ◆ │ │ │ │ │  #5 taken
      │ │ │ │ ├─● │ │ │ │  #6 success([Member(id: 1, name: "Ann")]) ← #5
      │ │ │ │ │ ◆ │ │ │ │  #6 taken by subscription 1
      ●─────────┤ │ │ │ │  "" ← #6
      │ ●───────┤ │ │ │ │  nil ← #6
      │ ◆ │ │ │ │ │ │ │ │  nil taken
      │ │ │ │ │ ◆ │ │ │ │  #6 taken by subscription 2
      │ │ │ ●───┤ │ │ │ │  [Member(id: 1, name: "Ann")] ← #6
      │ │ │ ◆ │ │ │ │ │ │  [Member(id: 1, name: "Ann")] taken
      │ │ │ │ │ ◆ │ │ │ │  #6 taken by subscription 3
      │ │ │ │ │ ├───────●  1 ← #6
      │ │ │ │ │ │ │ │ │ ◆  1 taken
      ● │ │ │ │ │ │ │ │ │  #7 "Bob"
      │ │ ○───●───○ │ │ │  #8 add(name: "Bob")
      │ │ │ │ ◆ │ │ │ │ │  #8 taken
      │ │ │ │ ├─● │ │ │ │  #9 success([Member(id: 1, name: "Ann"), Member(id: 2, name: "Bob")]) ← #8
      │ │ │ │ │ ◆ │ │ │ │  #9 taken by subscription 1
      ●─────────┤ │ │ │ │  "" ← #9
      │ ●───────┤ │ │ │ │  nil ← #9
      │ ◆ │ │ │ │ │ │ │ │  nil taken
      │ │ │ │ │ ◆ │ │ │ │  #9 taken by subscription 2
      │ │ │ ●───┤ │ │ │ │  [Member(id: 1, name: "Ann"), Member(id: 2, name: "Bob")] ← #9
      │ │ │ ◆ │ │ │ │ │ │  [Member(id: 1, name: "Ann"), Member(id: 2, name: "Bob")] taken
      │ │ │ │ │ ◆ │ │ │ │  #9 taken by subscription 3
      │ │ │ │ │ ├───────●  2 ← #9
      │ │ │ │ │ │ │ │ │ ◆  2 taken
      │ │ │ │ ●─────○ │ │  #10 remove(Member(id: 1, name: "Ann"))
      │ │ │ │ ◆ │ │ │ │ │  #10 taken
      │ │ │ │ ├─● │ │ │ │  #11 success([Member(id: 2, name: "Bob")]) ← #10
      │ │ │ │ │ ◆ │ │ │ │  #11 taken by subscription 1
      │ ●───────┤ │ │ │ │  nil ← #11
      │ ◆ │ │ │ │ │ │ │ │  nil taken
      │ │ │ │ │ ◆ │ │ │ │  #11 taken by subscription 2
      │ │ │ ●───┤ │ │ │ │  [Member(id: 2, name: "Bob")] ← #11
      │ │ │ ◆ │ │ │ │ │ │  [Member(id: 2, name: "Bob")] taken
      │ │ │ │ │ ◆ │ │ │ │  #11 taken by subscription 3
      │ │ │ │ │ ├───────●  1 ← #11
      │ │ │ │ │ │ │ │ │ ◆  1 taken
      ● │ │ │ │ │ │ │ │ │  #12 "invalid name"
      │ │ ○───●───○ │ │ │  #13 add(name: "invalid name")
      │ │ │ │ ◆ │ │ │ │ │  #13 taken
      │ │ │ │ ├─● │ │ │ │  #14 failure(invalidName) ← #13
      │ │ │ │ │ ◆ │ │ │ │  #14 taken by subscription 1
      │ ●───────┤ │ │ │ │  invalidName ← #14
      │ ◆ │ │ │ │ │ │ │ │  invalidName taken
      │ │ │ │ ●───────○ │  #15 reset
      │ │ │ │ ◆ │ │ │ │ │  #15 taken
      │ │ │ │ ├─● │ │ │ │  #16 success([]) ← #15
      │ │ │ │ │ ◆ │ │ │ │  #16 taken by subscription 1
      │ ●───────┤ │ │ │ │  nil ← #16
      │ ◆ │ │ │ │ │ │ │ │  nil taken
      │ │ │ │ │ ◆ │ │ │ │  #14 taken by subscription 2
      │ │ │ │ │ ◆ │ │ │ │  #16 taken by subscription 2
      │ │ │ ●───┤ │ │ │ │  [] ← #16
      │ │ │ ◆ │ │ │ │ │ │  [] taken
      │ │ │ │ │ ◆ │ │ │ │  #14 taken by subscription 3
      │ │ │ │ │ ◆ │ │ │ │  #16 taken by subscription 3
      │ │ │ │ │ ├───────●  0 ← #16
      │ │ │ │ │ │ │ │ │ ◆  0 taken

      ● sent  ◆ taken  ├ caused  ○ through an inlet

      """)
  }

  func test_C87a_filter() throws {
    try assertFlow(
      of: "filter", given: "n\nnews\nnew\n",
      """
      TextFilterViewModel
      inputText  output  filtering
      ●          │       │          #1 "n"
      ◆          │       │          #1 taken
      ├──────────────────●          true ← #1
      ├──────────────────●          false ← #1
      │          │       ◆          true taken
      │          │       ◆          false taken
      ●          │       │          #2 "news"
      ◆          │       │          #2 taken
      ├──────────────────●          true ← #2
      ├──────────────────●          false ← #2
      ├──────────●       │          "news" ← #2
      │          │       ◆          true taken
      │          │       ◆          false taken
      ●          │       │          #3 "new"
      ◆          │       │          #3 taken
      ├──────────────────●          true ← #3
      ├──────────────────●          false ← #3
      │          │       ◆          true taken
      │          │       ◆          false taken

      ● sent  ◆ taken  ├ caused

      """)
  }

  func test_C87a_profile() throws {
    try assertFlow(
      of: "profile", given: "1\n7\n\n",
      """
      ProfileViewModel
      current  wanted  load  reload
      │        ●───────○     │       #1 1
      │        ◆       │     │       #1 taken
      ●────────┤       │     │       isLoading ← #1
      ◆        │       │     │       isLoading taken
      ●────────┤       │     │       loaded(User(id: 1, name: "Ann")) ← #1
      ◆        │       │     │       loaded(User(id: 1, name: "Ann")) taken
      │        ●───────○     │       #2 7
      │        ◆       │     │       #2 taken
      ●────────┤       │     │       isLoading ← #2
      ◆        │       │     │       isLoading taken
      ●────────┤       │     │       failed(there is no user 7) ← #2
      ◆        │       │     │       failed(there is no user 7) taken
      │        ●─────────────○       #3 7
      │        ◆       │     │       #3 taken
      ●────────┤       │     │       isLoading ← #3
      ◆        │       │     │       isLoading taken
      ●────────┤       │     │       failed(there is no user 7) ← #3
      ◆        │       │     │       failed(there is no user 7) taken

      ● sent  ◆ taken  ├ caused  ○ through an inlet

      """)
  }

  func test_C87a_workout() throws {
    try assertFlow(
      of: "workout", given: "a\nb\n",
      """
      ExerciseExecutionCountNotifier
      executions
      ●           #1 1
      ◆           #1 taken
      ●           #2 2
      ◆           #2 taken

      ● sent  ◆ taken

      """)
  }

  func test_C87_withTimesItSaysWhoCameAndWentAndHowLongItTook() throws {
    let program = try Program.run("auth", "--trace=times", input: Data("a\nb\n".utf8))
    XCTAssertEqual(program.status, 0)
    let lines = program.output.split(separator: "\n").map(String.init)
    XCTAssertTrue(lines.contains { $0.contains("  ms  signIn  signInResult  signingIn") })
    XCTAssertTrue(
      lines.contains { $0.wholeMatch(of: /\s*\d+\.\d  ◆ .* #1 taken after \d+\.\d ms/) != nil })
  }

  func test_C88a_noExportHasASecret() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (svg, json) = (folder.appending(path: "flow.svg"), folder.appending(path: "flow.json"))
    let input = Data("iankeen\nhunter2\niankeen\nsuper_secret_password\n".utf8)
    for trace in ["--trace", "--trace=times"] {
      let program = try Program.run(
        "auth", trace, "--trace-svg", svg.path, "--trace-json", json.path, input: input)
      XCTAssertEqual(program.status, 0)
      XCTAssertEqual(program.errors, "")
      let exports = [
        program.output, try String(contentsOf: svg, encoding: .utf8),
        try String(contentsOf: json, encoding: .utf8),
      ]
      for export in exports {
        XCTAssertTrue(export.contains("Token(…)"))
        for secret in ["hunter2", "super_secret_password", "token of iankeen"] {
          XCTAssertFalse(export.contains(secret), secret)
        }
      }
    }
  }

  func test_optionsThatMakeNoSenseAreRefused() throws {
    let refused: [([String], String)] = [
      (["auth", "--trace-svg"], "asyncdemo: '--trace-svg' takes the name of a file"),
      (["auth", "--trace-json", ""], "asyncdemo: '--trace-json' takes the name of a file"),
      (["auth", "--trace=none"], "asyncdemo: there is no option \"--trace=none\""),
      (["auth", "--tracer"], "asyncdemo: there is no option \"--tracer\""),
      (["workout", "--trace", "fast"], "asyncdemo: 'workout' takes no argument \"fast\""),
    ]
    for (arguments, sentence) in refused {
      let program = try Program.run(arguments)
      XCTAssertEqual(program.status, 64, "\(arguments)")
      XCTAssertEqual(program.errors.split(separator: "\n").first.map(String.init), sentence)
      XCTAssertEqual(program.output, "")
    }
  }

  func test_linesOfADemoAreWrittenAsItRuns() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let input = Data("iankeen\nsuper_secret_password\n".utf8)
    let printed = try Program.run("auth", "--trace-lines", "-", input: input)
    let written = try Program.run("auth", "--trace-lines=\(file.path)", input: input)
    for text in [printed.output, try String(contentsOf: file, encoding: .utf8)] {
      let lines = text.split(separator: "\n").filter { $0.hasPrefix("{") }
      let objects = try lines.map {
        try XCTUnwrap(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      XCTAssertEqual(objects.first?["program"] as? String, "auth")
      let texts = objects.compactMap { $0["e"] as? String == "sent" ? $0["text"] as? String : nil }
      XCTAssertEqual(
        texts,
        ["Credentials(username: \"iankeen\", password: …)", "true", "false", "success(Token(…))"])
      XCTAssertEqual(
        objects.compactMap { $0["id"] as? Int }, Array(0..<lines.count { $0.hasPrefix("{\"id\"") }))
      XCTAssertFalse(text.contains("super_secret"), text)
    }
    XCTAssertEqual(written.output, try Program.run("auth", input: input).output)
    XCTAssertEqual(try Program.run(["auth", "--trace-lines", "/nowhere/file"]).status, 1)
  }

  func test_aProgramWhoseInspectorIsNotThereEndsAsUsual() throws {
    let input = Data("add Ann\n".utf8)
    let program = try Program.run("members", "--inspect=127.0.0.1:1", input: input)
    XCTAssertEqual(program.output, try Program.run("members", input: input).output)
    XCTAssertEqual(program.status, 0)
  }

  func test_aValueMayStandBehindAnEqualsSign() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "flow.svg")
    let program = try Program.run("workout", "--trace-svg=\(file.path)", input: Data("a\n".utf8))
    XCTAssertEqual(program.status, 0, program.errors)
    XCTAssertTrue(try String(contentsOf: file, encoding: .utf8).hasPrefix("<svg"))
    let empty = try Program.run("workout", "--trace-json=")
    XCTAssertEqual(empty.status, 64)
    XCTAssertTrue(empty.errors.hasPrefix("asyncdemo: '--trace-json' takes the name of a file"))
    let url = try Program.run("auth", "--url=ftp://example.com")
    XCTAssertEqual(url.status, 64)
    XCTAssertTrue(url.errors.hasPrefix("asyncdemo: '--url' takes one address that"), url.errors)
    let reached = try Program.run(
      "auth", "--url=http://127.0.0.1:1", input: Data("ann\nbob\n".utf8))
    XCTAssertEqual(reached.status, 0)
    XCTAssertTrue(reached.output.contains("Not signed in. "), reached.output)
  }

  func test_twoHyphensEndTheOptions() throws {
    for arguments in [["workout", "--"], ["--", "workout"], ["--trace", "workout", "--"]] {
      let program = try Program.run(arguments, input: Data("a\n".utf8))
      XCTAssertEqual(program.status, 0, program.errors)
      XCTAssertTrue(program.output.hasPrefix("Exercises done: 0"), program.output)
    }
    let refused = try Program.run("workout", "--", "--trace")
    XCTAssertEqual(refused.status, 64)
    XCTAssertTrue(
      refused.errors.hasPrefix("asyncdemo: 'workout' takes no argument \"--trace\""), refused.errors
    )
    let unknown = try Program.run("--", "--help")
    XCTAssertTrue(
      unknown.errors.hasPrefix("asyncdemo: there is no demo \"--help\""), unknown.errors)
  }

  func test_theTourIsTracedToo() throws {
    let tour = try Program.run().output
    let program = try Program.run("--trace")
    XCTAssertEqual(program.status, 0, program.errors)
    XCTAssertTrue(program.output.hasPrefix(tour))
    let flow = program.output.dropFirst(tour.count)
    for lane in ["AuthViewModel.signIn", "ProfileViewModel.current", "MembersViewModel.list"] {
      XCTAssertTrue(flow.contains(lane), "\(lane) in \(flow)")
    }
    XCTAssertTrue(flow.contains(" taken\n"))
    for _ in 0..<Length.rounds(10) {
      XCTAssertEqual(try Program.run("--trace").output, program.output)
    }
  }

  func test_aSignalThatEndsADemoStillShowsTheTrace() throws {
    for signal in [SIGINT, SIGTERM] {
      let process = Process.program("workout", "--trace")
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.start()
      try input.fileHandleForWriting.write("squats\n")
      try output.fileHandleForReading.read(upTo: "Exercises done: 1\n")
      kill(process.processIdentifier, signal)
      try output.fileHandleForReading.read(upTo: "ExerciseExecutionCountNotifier\nexecutions\n")
      try output.fileHandleForReading.read(upTo: "#1 taken\n")
      XCTAssertEqual(process.status(), 128 + signal)
      try input.fileHandleForWriting.close()
    }
  }

  func test_aFileThatCannotBeWrittenIsAnError() throws {
    let program = try Program.run("workout", "--trace-svg", "/nowhere/flow.svg")
    XCTAssertEqual(program.status, 1)
    XCTAssertTrue(
      program.errors.hasPrefix("asyncdemo: \"/nowhere/flow.svg\" cannot be written"),
      program.errors)
  }

  private func assertFlow(
    of demo: String, given input: String, _ flow: String, line: UInt = #line
  ) throws {
    for _ in 0..<Length.rounds(20) {
      let program = try Program.run(demo, "--trace", input: Data(input.utf8))
      XCTAssertEqual(program.status, 0, line: line)
      let shown = program.output.range(of: "\n\n").map { program.output[$0.upperBound...] }
      XCTAssertEqual(shown.map(String.init), flow, line: line)
      for row in flow.split(separator: "\n") {
        XCTAssertLessThanOrEqual(row.count, 100, line: line)
      }
    }
  }
}

import Foundation
import TestSupport
import XCTest

/// Every row of the design's table of replaced systems is in the tour.
final class TourTests: XCTestCase {
  func test_itShowsEachSystemInTurn() throws {
    let program = try Program.run()
    XCTAssertEqual(program.status, 0)
    XCTAssertEqual(program.errors, "")
    XCTAssertEqual(program.output, tour)
  }

  func test_itIsTheSameEveryTime() throws {
    for _ in 0..<Length.rounds(20) { XCTAssertEqual(try Program.run().output, tour) }
  }

  func test_itReadsNothing() throws {
    XCTAssertEqual(try Program.run(input: Data("add Ann\nbogus\n".utf8)).output, tour)
  }

  private let tour = """
    == Input only: code that has an Inlet can send, and neither listen nor finish
    > (item: "tea", count: 2)
    The owner received: 2 tea
    Sending after the end says so.

    == A control bound to an input: whatever is tapped is sent, in order
    > tap 1
    > tap 2
    > tap 3
    sign-in 1
    sign-in 2
    sign-in 3

    == An input with a current value: each listener begins with it
    > Ann
    Listening from the start: nobody
    Listening from the start: Ann
    Listening later: Ann

    == Sign in: inputs and outputs in a protocol, one request however many listen
    User name: iankeen
    Password: 
    Not signed in. The user name or the password is wrong.
    User name: iankeen
    Password: 
    Signed in.
    > one sign-in, three listeners
    Requests made: 1

    == A button that pays: what is tapped while a payment is under way is ignored
    > tap 1
    Paying for tap 1 …
    > tap 2
    Tap 2 is ignored.
    Paid for tap 1.
    > tap 3
    Paying for tap 3 …
    Paid for tap 3.

    == A notifier that only its owner can upstream, and a profile that listens
    Exercises done: 0
    > squats
    Exercises done: 1
    > lunges
    Exercises done: 2
    > plank
    Exercises done: 3

    == A split binding: longer texts go out, and a late answer overwrites nothing
    > n
    > ne
    > new
    > news
    Output: news
    > new
    > newt
    Output: newt
    > newt
    > もしもn
    > もしもの
    Output: もしもn; the field reads: もしもの
    Output: もしもの; the field reads: もしもの

    == A published property: loading, failed, loaded; observers render the new state
    > 1
    Loading …
    User 1: Ann
    > 7
    Loading …
    Failed: there is no user 7
    > 3
    Loading …
    User 3: Cy
    An observer was told of old, reads old
    > new
    An observer was told of new, reads new

    == One source of truth and three views of it
    Number of members: 0
    > add Ann
    Number of members: 1
      1  Ann
    > add Bob
    Number of members: 2
      1  Ann
      2  Bob
    > remove 1
    Number of members: 1
      2  Bob
    > add invalid name
    "invalid name" is not a valid name; nothing was added
    > add Cy
    Number of members: 2
      2  Bob
      3  Cy
    > reset
    Number of members: 0

    == A stand-in for the manager, which publishes what it is told to
    > Ann
    Number of members: 1
    > Ann, Bob
    Number of members: 2

    == An alert that is sent before its view is there waits for it, and is shown once
    > Saved
    > Disk nearly full
    > Disk full
    View 1 shows: Disk nearly full
    View 2 shows: Disk full
    Missed: 1

    == A sensor that is on while somebody listens, and lingers no longer
    > a view appears
    Listening: 1. The sensor is on.
    > it goes
    Listening: 0. The sensor is off.
    > a view appears
    Listening: 1. The sensor is on.
    > it goes
    Listening: 0. The sensor is off.

    == A slow view takes everything that is ready, and renders once
    > 100 updates
    Waiting: 100
    Renderings: 1
    Their sum: 5050

    == What the original got wrong: reset keeps nothing, and late views see the list
    > add Ann, reset, add Bob, add invalid name
    A view made now sees: Bob

    == A recording: which input caused which output, and who waited
    > sign in as ann
    > sign in as bob
    AuthViewModel
    signIn  signInResult  signingIn
    ●       │             │          #1 Credentials(username: "ann", password: …)
    ●       │             │          #2 Credentials(username: "bob", password: …)
    ◆       │             │          #1 taken
    ├─────────────────────●          true ← #1
    ├───────●             │          success(Token(…)) ← #1
    │       ◆             │          success(Token(…)) taken
    ◆       │             │          #2 taken
    ├─────────────────────●          false ← #2
    ├───────●             │          success(Token(…)) ← #2
    │       ◆             │          success(Token(…)) taken

    ● sent  ◆ taken  ├ caused


    """
}

import Hummingbird

/// What operators and their tools ask.
extension Routes {
  func addOperations(to router: Router<PageContext>) {
    router.route(.get, "/status") { _, _ in
      let (members, tabs) = (await summary.memberCount.value, page.tabCount)
      return Response("application/json", #"{"members": \#(members), "tabs": \#(tabs)}"#.utf8)
    }
    // The process answers. If not, it should be started again.
    router.route(.get, "/health") { _, _ in Response("text/plain", "ok\n".utf8) }
    // Commands can be stored. If not, a balancer should ask another server.
    router.route(.get, "/ready") { _, _ in
      manager.isReachable.value
        ? Response("text/plain", "ok\n".utf8)
        : Response("text/plain", "the database cannot be reached\n".utf8, .serviceUnavailable)
    }
    router.route(.get, "/metrics") { _, _ in
      Response("text/plain; version=0.0.4", metrics(await manager.counts).utf8)
    }
  }

  /// In Prometheus' format.
  private func metrics(_ counts: Counts) -> String {
    let roster = manager.roster.value
    var lines = [
      "live_members_members \(roster.members.count)",
      "live_members_revision \(roster.revision)",
      "live_members_streams \(page.tabCount)",
      "live_members_waiting_commands \(manager.waitingCommands)",
      "live_members_database_up \(manager.isReachable.value ? 1 : 0)",
      "live_members_commits_total \(counts.commits)",
      "live_members_failed_commits_total \(counts.failures)",
      "live_members_abandoned_commands_total \(counts.abandoned)",
    ]
    for (outcome, count) in counts.outcomes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append(#"live_members_commands_total{outcome="\#(outcome)"} \#(count)"#)
    }
    return lines.map { "\($0)\n" }.joined()
  }
}

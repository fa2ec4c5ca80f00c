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
    // The list is there, and the database can be read. If not, a balancer should ask another server.
    router.route(.get, "/ready") { _, _ in
      manager.channel.health.value.isServing
        ? Response("text/plain", "ok\n".utf8)
        : Response("text/plain", "the database cannot be reached\n".utf8, .serviceUnavailable)
    }
    router.route(.get, "/metrics") { _, _ in
      Response("text/plain; version=0.0.4", await metrics().utf8)
    }
  }

  /// In Prometheus' format.
  private func metrics() async -> String {
    let (channel, roster) = (manager.channel, manager.roster.value)
    let (counts, outcomes) = (await channel.counts, await manager.outcomes)
    var lines = [
      "live_members_members \(roster.members.count)",
      "live_members_revision \(roster.revision)",
      "live_members_streams \(page.tabCount)",
      "live_members_waiting_commands \(channel.waitingCommands)",
      "live_members_database_up \(channel.health.value.isServing ? 1 : 0)",
      "live_members_commits_total \(counts.batches)",
      "live_members_failed_commits_total \(counts.failedAppends)",
      "live_members_commits_failing \(channel.health.value.appendFailure == nil ? 0 : 1)",
      "live_members_abandoned_commands_total \(counts.abandoned)",
    ]
    for (outcome, count) in outcomes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append(#"live_members_commands_total{outcome="\#(outcome)"} \#(count)"#)
    }
    return lines.map { "\($0)\n" }.joined()
  }
}

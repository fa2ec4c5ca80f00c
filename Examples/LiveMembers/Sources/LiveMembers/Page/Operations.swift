import Hummingbird

/// What operators and their tools ask.
extension Routes {
  /// What the health port answers.
  func healthRouter() -> Router<PageContext> {
    let router = Router(context: PageContext.self, options: .autoGenerateHeadEndpoints)
    router.addMiddleware {
      OneRequest()
      Guard(origins: origins)
    }
    addOperations(to: router, withMetrics: true)
    return router
  }

  func addOperations(to router: Router<PageContext>, withMetrics: Bool) {
    // The process answers. If not, it should be started again.
    router.route(.get, "/health") { _, _ in Response("text/plain", "ok\n".utf8) }
    // The page's port takes requests, the list is there, the database can be read and written, and no newer version has
    // taken over. If not, a balancer should ask another server.
    router.route(.get, "/ready") { _, _ in
      let obstacle: String? =
        if !isOpen.value {
          "the server starts or ends"
        } else if !manager.channel.health.value.isServing {
          "the database cannot be used"
        } else { nil }
      return Response(
        "text/plain", "\(obstacle ?? "ok")\n".utf8, obstacle == nil ? .ok : .serviceUnavailable)
    }
    guard withMetrics else { return }
    router.route(.get, "/metrics") { _, _ in
      Response("text/plain; version=0.0.4", await metrics().utf8)
    }
  }

  /// In Prometheus' format.
  private func metrics() async -> String {
    let (channel, roster) = (manager.channel, manager.roster.value)
    let health = channel.health.value
    let isReplaced = if case .replaced = health.role { true } else { false }
    let (counts, outcomes) = (await channel.counts, await manager.outcomes)
    var lines = [
      "live_members_members \(roster.members.count)",
      "live_members_revision \(roster.revision)",
      "live_members_streams \(page.tabCount)",
      "live_members_waiting_commands \(channel.waitingCommands)",
      "live_members_database_up \(health.isReady && health.readFailure == nil ? 1 : 0)",
      "live_members_commits_total \(counts.batches)",
      "live_members_commit_seconds_total \(counts.appendTime / .seconds(1))",
      "live_members_failed_commits_total \(counts.failedAppends)",
      "live_members_commits_failing \(health.appendFailure == nil ? 0 : 1)",
      "live_members_restarts_total \(health.restarts)",
      "live_members_snapshots_total \(counts.snapshots)",
      "live_members_deleted_commands_total \(counts.deleted)",
      "live_members_snapshots_failing \(health.snapshotFailure == nil ? 0 : 1)",
      "live_members_replaced \(isReplaced ? 1 : 0)",
      "live_members_abandoned_commands_total \(counts.abandoned)",
    ]
    for (outcome, count) in outcomes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append(#"live_members_commands_total{outcome="\#(outcome)"} \#(count)"#)
    }
    return lines.map { "\($0)\n" }.joined()
  }
}

//# self._hits.send($0)
@MainActor final class Example {
  let _query = Input<String>()
  let _hits = Output<[Hit]>()

  func run() async {
/*block*/
  }
}

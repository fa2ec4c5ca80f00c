import ArgumentParser
struct Load: AsyncParsableCommand { func run() async throws {} }

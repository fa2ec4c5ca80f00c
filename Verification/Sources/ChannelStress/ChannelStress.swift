@main
struct ChannelStress {
  static func main() {}
}

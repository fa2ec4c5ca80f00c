import Hummingbird
import GRDB
import CPostgres
import AsyncViewModels
import ArgumentParser
import NIOPosix
import ServiceLifecycle
import NIOHTTP1
@main struct LiveMembers { static func main() { print("ok", PQlibVersion()) } }

import AsyncChannelsRecording
//# keepCrashReport(in: path)
import AsyncChannelsRecording

func begin(path: String) throws {
  /*block*/
}

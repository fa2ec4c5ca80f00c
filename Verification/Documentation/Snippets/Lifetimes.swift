import AsyncChannelsRunning
import AsyncViewModels

//# @main
/*block*/

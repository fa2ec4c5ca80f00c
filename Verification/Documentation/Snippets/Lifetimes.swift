import AsyncChannels
import AsyncViewModels

//# @main
/*block*/

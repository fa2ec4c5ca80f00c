//# additions.when($canAdd)
@MainActor final class Example {
  @Input private var additions: Inlet<String>
  @CurrentValue private var canAdd = false

/*block*/
}

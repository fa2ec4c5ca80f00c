import AsyncChannels
import AsyncViewModels
import Toolkit

/// Three view models of one manager: the list, the form for a new member, and the count.
final class MembersController: Controller {
  private let list: MembersViewModel
  private let form: NewMemberViewModel
  private let summary: MembersSummaryViewModel
  private let count = Label()
  private let name = TextField(placeholder: "Name of a new member")
  private let add = Button("Add")
  private let failure = Label()
  private let rows = Box.column()
  private let reset = Button("Remove all")

  init(manager: any MemberManager) {
    list = MembersViewModel(manager: manager)
    form = NewMemberViewModel(manager: manager)
    summary = MembersSummaryViewModel(manager: manager)
    super.init()
    (count.name, name.name, add.name, failure.name) = ("count", "name", "add", "failure")
    (rows.name, reset.name) = ("rows", "reset")
    failure.addStyle("heading")
    [count, Box.row(name, add), failure, ScrollView(rows), reset].forEach(view.add)
    name.onChange { [form] in form.name = $0 }
    add.onClick { [form] in form.add.send() }
    name.onReturn { [form] in form.add.send() }
    reset.onClick { [list] in list.reset.send() }
  }

  override func start() {
    list.start().store(in: &tokens)
    form.start().store(in: &tokens)
    summary.start().store(in: &tokens)
  }

  override func observe() {
    summary.memberCount.observe { [weak self] in self?.count.text = "Members: \($0)" }
      .store(in: &tokens)
    form.failure.observe { [weak self] in self?.show($0) }.store(in: &tokens)
    form.$name.observe { [weak self] _ in self?.showName() }.store(in: &tokens)
    list.members.observe { [weak self] in self?.show($0) }.store(in: &tokens)
  }

  /// The name that there is now, not the one of which the observer was told: the user may have typed since.
  private func showName() {
    name.show(form.name)
  }

  private func show(_ failure: MemberFailure?) {
    self.failure.text = failure == nil ? "" : "A name must not be blank, nor “invalid name”."
  }

  private func show(_ members: [Member]) {
    rows.removeAll()
    for member in members {
      let remove = Button("Remove")
      remove.name = "remove \(member.name)"
      remove.onClick { [list] in list.remove.send(member) }
      rows.add(Box.row(remove, Label(member.name)))
    }
  }
}

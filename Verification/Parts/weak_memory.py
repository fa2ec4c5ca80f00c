"""All executions of a small program under a weak memory model: C11 as RC11 repairs it, with relaxed,
acquiring and releasing accesses, read-modify-writes, releasing fences and plain accesses. No other
fences, no sequentially consistent accesses: the library has none.

A thread is a generator function. It yields one access after the other, made by the functions below,
and is sent what the access read. It may raise `Broken`.

How it works. Each atomic location has its messages in modification order; a thread may read any that
is not older than what it knows, so two threads may see different values at the same time. What a
thread knows is its view: for each location the oldest message that it may still read, and for each
thread how many of that one's plain accesses happen before. A message carries the view of a releasing
writer; an acquiring reader joins it to its own. A read-modify-write reads the message just before its
own, whose view its message carries on (a release sequence). A store may take any place in the
modification order behind what its thread knows, but never one between a read-modify-write and what
that read. Two plain accesses of which one writes and neither happens before the other are a data
race, and that is an error, as is a thread that waits for ever.

Plain accesses need no interleaving: they follow the atomic access before them immediately. A race is
found all the same, by whichever of the two comes second.
"""

RELAXED, ACQUIRING, RELEASING, BOTH = "relaxed", "acquiring", "releasing", "acquiringAndReleasing"


class Broken(Exception):
    """What went wrong, in a sentence."""


def claim(condition, sentence):
    if not condition:
        raise Broken(sentence)


def load(location, order, until=lambda value: True):
    """Gives the value; waits for one that will do."""
    return "load", location, order, until


def store(location, value, order):
    return "store", location, order, value


def update(location, change, order):
    """A read-modify-write that waits until `change` of the old value is not None. Gives the old one."""
    return "update", location, order, change


def fence(order):
    """A fence. A releasing one gives what the thread knows now to all that it stores later."""
    return "fence", None, order, None


def read(cell):
    """A plain read. Gives the value."""
    return "read", cell, None, None


def write(cell, value):
    return "write", cell, None, value


def join(view, other):
    return tuple(map(max, view, other))


class Program:
    def __init__(self, threads, atomics, cells):
        self.threads = threads
        self.locations = {name: number for number, name in enumerate(atomics)}
        self.cells = {name: number for number, name in enumerate(cells)}
        self.accesses = {}
        nothing = (0,) * (len(atomics) + len(threads))
        # Of a message: value, view, whether it is a read-modify-write's. Of a cell: value, who wrote it
        # and as which of its accesses, and for each thread which of its accesses read it last.
        self.start = (
            ((),) * len(threads),
            tuple(((value, nothing, False),) for value in atomics.values()),
            tuple((value, (0, 0), (0,) * len(threads)) for value in cells.values()),
            (nothing,) * len(threads), (nothing,) * len(threads))

    def explore(self):
        """Returns how many states there are; raises `Broken`."""
        seen = set()
        todo = [self.settle(self.start, range(len(self.threads)))]
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            waiting = [thread for thread in range(len(self.threads)) if self.access(thread, state)]
            successors = [next for thread in waiting for next in self.steps(thread, state)]
            claim(successors or not waiting, "a thread waits for ever")
            todo += successors
        return len(seen)

    def access(self, thread, state):
        """The next access of a thread that was sent so much; None if it has ended."""
        sent = state[0][thread]
        if (thread, sent) not in self.accesses:
            generator = self.threads[thread]()
            try:
                access = next(generator)
                for value in sent:
                    access = generator.send(value)
            except StopIteration:
                access = None
            self.accesses[thread, sent] = access
        return self.accesses[thread, sent]

    def settle(self, state, threads):
        """Does the plain accesses that come next."""
        for thread in threads:
            while (access := self.access(thread, state)) and access[0] in ("read", "write", "fence"):
                state = (self.fence if access[0] == "fence" else self.touch)(thread, state, access)
        return state

    def fence(self, thread, state, access):
        sent, memory, cells, views, fences = state
        if access[2] == RELEASING:
            fences = replaced(fences, thread, views[thread])
        return replaced(sent, thread, sent[thread] + (None,)), memory, cells, views, fences

    def touch(self, thread, state, access):
        kind, name, _, new = access
        sent, memory, cells, views, fences = state
        own = len(memory) + thread
        view = replaced(views[thread], own, views[thread][own] + 1)
        value, (writer, written), reads = cells[self.cells[name]]
        race = view[len(memory) + writer] < written
        if kind == "write":
            race |= any(view[len(memory) + other] < count for other, count in enumerate(reads))
            cell = (new, (thread, view[own]), (0,) * len(reads))
        else:
            cell = (value, (writer, written), replaced(reads, thread, view[own]))
        claim(not race, f"a data race on {name}")
        return (
            replaced(sent, thread, sent[thread] + (value,)), memory,
            replaced(cells, self.cells[name], cell), replaced(views, thread, view), fences)

    def steps(self, thread, state):
        """The states after each way in which a thread's next access, an atomic one, may go."""
        kind, name, order, detail = self.access(thread, state)
        location = self.locations[name]
        messages = state[1][location]
        oldest = state[3][thread][location]
        for place in range(oldest, len(messages)):
            value, seen, _ = messages[place]
            isFree = place + 1 == len(messages) or not messages[place + 1][2]
            if kind == "load":
                if detail(value):
                    yield self.reading(thread, state, location, place, order, value)
            elif kind == "store":
                if isFree:
                    yield self.writing(thread, state, location, place + 1, order, detail, None, None)
            elif isFree and (new := detail(value)) is not None:
                yield self.writing(thread, state, location, place + 1, order, new, seen, value)

    def reading(self, thread, state, location, place, order, result):
        sent, memory, cells, views, fences = state
        view = replaced(views[thread], location, place)
        if order in (ACQUIRING, BOTH):
            view = join(view, memory[location][place][1])
        return self.settle(
            (replaced(sent, thread, sent[thread] + (result,)), memory, cells,
             replaced(views, thread, view), fences), [thread])

    def writing(self, thread, state, location, place, order, value, seen, result):
        """Writes a message before the one at `place`; `seen` is the view of the one it has read."""
        sent, memory, cells, views, fences = state

        def moved(view):
            return replaced(view, location, view[location] + (view[location] >= place))

        memory = tuple(
            tuple((value, moved(view), isUpdate) for value, view, isUpdate in messages)
            for messages in memory)
        views, fences = tuple(map(moved, views)), tuple(map(moved, fences))
        view = replaced(views[thread], location, place)
        released = view if order in (RELEASING, BOTH) else fences[thread]
        if seen is not None:
            released = join(released, moved(seen))
            if order in (ACQUIRING, BOTH):
                view = join(view, moved(seen))
                released = join(released, view) if order == BOTH else released
        message = (value, replaced(released, location, place), seen is not None)
        messages = memory[location]
        memory = replaced(memory, location, messages[:place] + (message,) + messages[place:])
        return self.settle(
            (replaced(sent, thread, sent[thread] + (result,)), memory, cells,
             replaced(views, thread, view), fences), [thread])


def replaced(values, index, value):
    return values[:index] + (value,) + values[index + 1:]

/*
 * Counted slots: how elements are written for the readers there are, claimed and copied without a
 * lock, and destroyed by the last reader that owes them a read; how one consumer of a subscription
 * takes the place of another that may have stopped at any step; and how segments are held and freed.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: an atomic operation, the beginning or the end of a copy. What is done
 * under a lock and reached under that lock only is joined to the step before or behind it. Memory is
 * sequentially consistent: verify orderings looks at the rest.
 *
 * Nobody sleeps here. A consumer that finds nothing waits until something is published, or leaves.
 * How it sleeps and is woken is the business of protocol.pml.
 *
 * What is checked: the assertions below; that every run ends, with everything destroyed and freed;
 * and that nobody waits for a consumer that has stopped outside a lock. The newest consumer takes
 * all elements before it leaves, so if it has to wait for another, the run stops too early.
 */

/* The scenario. */
#ifndef CONSUMERS
#define CONSUMERS 0  /* of one subscription, which joins at some moment: an epoch each */
#endif
#ifndef READERS
#define READERS 0    /* other subscriptions with one iterator each: each reads some and leaves */
#endif
#ifndef SENDERS
#define SENDERS 1    /* the log's lock is held for all of an append: two are as one */
#endif
#ifndef SENDS
#define SENDS 3      /* elements each */
#endif
#ifndef CAPACITY
#define CAPACITY 2   /* Segment.capacity; the library has 4 to 64 */
#endif
#ifndef REPLAY
#define REPLAY 0     /* elements in a segment of each subscription's own, at most CAPACITY */
#endif
#ifndef BATCH
#define BATCH 1      /* so many slots are claimed in one step, at most (Cursor.takeUpTo) */
#endif
/* STOPPED: the oldest consumer stops at some step outside a lock, until all others are through. */
/* SAME_TICKET: the consumers are calls of one iterator, in tasks that overlap. The place may stay
 * closed then, since a count may be lost; MUST_REOPEN shows that. */
/* TAKES_READY: a consumer that sleeps in one task and takes what is ready in another (Consumer). */
/* RECORDED: the log is recorded, so each element is taken under the lock. */
/* BREAK_…: something is left out or done too early; each must fail. */

#if defined(TAKES_READY) && !defined(SAME_TICKET)
#define SAME_TICKET
#endif
#if !defined(SAME_TICKET) || defined(TAKES_READY)
#define MUST_REOPEN
#endif

#if CONSUMERS > 0
#define CURSORS (READERS + 1)
#else
#define CURSORS READERS
#endif

#if REPLAY > 0
#define SEGMENTS (SENDERS * SENDS / CAPACITY + 2 + CURSORS)
#else
#define SEGMENTS (SENDERS * SENDS / CAPACITY + 2)
#endif
#define SLOTS (SEGMENTS * CAPACITY)
#define NONE 255
#define NOBODY 0             /* Position.nobody */
#define SLOT(segment, index) ((segment) * CAPACITY + (index))
#define END(segment) (start[segment] + capacity[segment])

/* ---- The log, behind its lock (LogState), and the count that is read without it. ---- */

bool locked
byte readers
byte endSegment = NONE
byte endIndex
byte published = REPLAY      /* BroadcastLogBase.published */
byte made                    /* segments made */
byte sendersDone, readersDone, consumersDone

/* ---- Segments, shared as `Segment` says. ---- */

byte holders[SEGMENTS]
byte start[SEGMENTS]
byte capacity[SEGMENTS]
byte next[SEGMENTS] = NONE
bool freed[SEGMENTS]
byte owed[SLOTS]

#define EMPTY 0              /* not written yet */
#define LIVE 1
#define GONE 2               /* moved out or destroyed */
byte element[SLOTS]
byte copying[SLOTS]          /* readers in the middle of a copy */

/* ---- The place of the subscription with several consumers (Position), and its cursor. ---- */

byte number, holder          /* Position.word: the next slot's number, the epoch of who may claim it */
byte finished                /* Position.finished */
byte known                   /* Position.known */
byte reach                   /* Position.reach */
byte header = NONE           /* Position.header */

byte cursorOwner             /* Waiter.lock: who has it, plus one */
byte newest                  /* CurrentConsumer.epoch */
byte parked = NONE           /* LogCursor.parked.segment */
byte parkedUntil             /* LogCursor.parked.until */
bool joined                  /* the subscription is made */
bool hasStopped

/* [Segment.make] One holder. */
inline make(segment, number_, capacity_) {
  segment = made;
  made++;
  holders[segment] = 1;
  start[segment] = number_;
  capacity[segment] = capacity_
}

inline retain(segment) {
  assert(!freed[segment] && holders[segment] > 0);
  holders[segment]++
}

/* [Segment.release] The last holder frees it, and lets go of the next in turn. */
inline release(first) {
  letGo = first;
  do
  :: atomic {
      assert(!freed[letGo] && holders[letGo] > 0);
      holders[letGo]--;
      if
      :: holders[letGo] == 0
      :: holders[letGo] > 0 -> letGo = NONE; break
      fi
    };
    atomic {
      /* Freed without looking: no slot has an element any more. */
      slot = 0;
      do
      :: slot < CAPACITY ->
        assert(owed[SLOT(letGo, slot)] == 0);
        assert(element[SLOT(letGo, slot)] != LIVE && !copying[SLOT(letGo, slot)]);
        slot++
      :: else -> slot = 0; break
      od;
      freed[letGo] = true;
      letGo = next[letGo];
      if
      :: letGo == NONE -> break
      :: else
      fi
    }
  od
}

/* The element leaves its slot: once, and while nobody copies it. */
inline destroy(place) {
  assert(!freed[(place) / CAPACITY]);
  assert(element[place] == LIVE);
  assert(!copying[place]);
  element[place] = GONE
}

/* [BroadcastLog.store] With no reader nothing is stored. */
proctype Sender() {
  byte sent, segment, slot, letGo;
  do
  :: sent < SENDS ->
    atomic { !locked -> locked = true; sent++ };
    if
    :: readers == 0
    :: else ->   /* [LogState.writeSlot] */
      if
      :: endIndex == CAPACITY ->   /* [LogState.nextSegment] */
        atomic {
          segment = endSegment;
          make(endSegment, END(segment), CAPACITY);
          endIndex = 0;
#ifndef BREAK_LINK_HOLDS_NOTHING
          retain(endSegment)   /* [Segment.link] */
#endif
        };
        atomic { assert(!freed[segment]); next[segment] = endSegment };
        release(segment);
        segment = 0
      :: else
      fi;
      /* [Segment.write, BroadcastLogBase.publish] */
      slot = SLOT(endSegment, endIndex);
      assert(!freed[endSegment] && element[slot] == EMPTY && owed[slot] == 0);
      assert(published == start[endSegment] + endIndex);
#ifdef BREAK_PUBLISH_FIRST
      published++;
#endif
      element[slot] = LIVE;
#ifdef BREAK_OWED_LAST
      published++;
#endif
      owed[slot] = readers;
#if !defined(BREAK_PUBLISH_FIRST) && !defined(BREAK_OWED_LAST)
      published++;
#endif
      slot = 0;
      endIndex++
    fi;
    locked = false
  :: sent == SENDS -> break
  od;
  atomic { sendersDone++; sent = 0 }
}

/* The oldest consumer stops here, perhaps, unless it has a lock. */
#ifdef STOPPED
#define mayStop() \
  if \
  :: true \
  :: atomic { me == 0 && cursorOwner != 1 && !hasStopped -> hasStopped = true }; \
    sendersDone == SENDERS && readersDone == READERS && consumersDone == CONSUMERS - 1 \
  fi
#else
#define mayStop() skip
#endif

inline copy() {
  atomic { assert(!freed[segment] && element[slot] == LIVE); copying[slot]++ };
  mayStop();
  atomic { assert(!freed[segment] && element[slot] == LIVE); copying[slot]-- }
}

inline countDown() {
  atomic {
    assert(!freed[segment] && owed[slot] > 0);
    owed[slot]--;
    left = owed[slot]
  }
}

/* [Segment.take] */
inline take() {
#ifdef BREAK_MOVE_UNCHECKED
  if
  :: true ->
#else
  if
  :: atomic { owed[slot] == 1 -> assert(!freed[segment]) };   /* alone: moves the element out */
#endif
    owed[slot] = 0;
    mayStop();
    atomic { destroy(slot) }
#ifndef BREAK_MOVE_UNCHECKED
  :: atomic { owed[slot] != 1 -> assert(!freed[segment]) };
#ifdef BREAK_DECREMENT_FIRST
    countDown();
    copy();
#else
    copy();
    countDown();
#endif
    if
    :: left == 0 -> atomic { destroy(slot) }
    :: else
    fi
#endif
  fi;
  atomic { slot = 0; left = 0 }
}

/* [Segment.skip] */
inline skipTo(limit) {
  do
  :: index < limit ->
    slot = SLOT(segment, index);
    index++;
    countDown();
    if
    :: left == 0 -> atomic { destroy(slot) }
    :: else
    fi;
    atomic { slot = 0; left = 0 }
  :: else -> break
  od
}

/* [Cursor.abandon, Position.advance] There is a next one. */
inline goToNextSegment() {
  assert(!freed[segment] && index == capacity[segment]);
  old = segment;
  segment = next[segment];
#ifdef BREAK_RELEASE_FIRST
  release(old);
  atomic { retain(segment); index = END(old) - start[segment]; limit = index; old = 0 }
#else
  atomic { retain(segment); index = END(old) - start[segment]; limit = index };
  release(old);
  old = 0
#endif
}

/* [BroadcastLog.join: LogState.addReader, StartingPoint.begin] Under the log's lock. `segment` comes with a
 * hold, and `index` is the first slot to read in it. */
inline join() {
  if
  :: endSegment == NONE -> make(endSegment, published, CAPACITY)
  :: else
  fi;
  readers++;
#if REPLAY > 0
  /* [Segment.make(for:before:number:holding:)] Nobody else reads this one. */
  make(segment, published - REPLAY, REPLAY);
  next[segment] = endSegment;
  retain(endSegment);
  slot = 0;
  do
  :: slot < REPLAY ->
    element[SLOT(segment, slot)] = LIVE;
    owed[SLOT(segment, slot)] = 1;
    slot++
  :: else -> slot = 0; break
  od;
  index = 0;
#else
  segment = endSegment;
  index = endIndex;
  retain(segment);
#endif
  assert(start[segment] + index + REPLAY == published)
}

/* [Cursor.deinit: LogCursor.unsubscribe, Cursor.abandon] */
inline leave() {
#ifdef BREAK_LEAVE_IN_TWO
  atomic { !locked -> toSegment = endSegment; toIndex = endIndex };
  atomic { !locked -> readers-- };
#else
  atomic { !locked -> readers--; toSegment = endSegment; toIndex = endIndex };
#endif
#ifndef BREAK_NO_SKIP
  do
  :: segment != toSegment -> skipTo(capacity[segment]); goToNextSegment()
  :: segment == toSegment -> break
  od;
  skipTo(toIndex);
#endif
  release(segment)
}

#define LEAST(a, b) ((a) < (b) -> (a) : (b))

#if READERS > 0
/* A subscription with one iterator, which claims without an exchange: its place is nobody else's
 * business. */
proctype Reader() {
  byte me = NONE;
  byte segment, index, limit, slot, left, letGo, old, toSegment, toIndex;
  atomic { !locked -> join(); limit = index };
#if REPLAY > 0
  limit = REPLAY;
#endif
  do
  :: index < limit ->   /* [Position.claim, Segment.take] */
    slot = SLOT(segment, index);
    index++;
    take()
  :: atomic {   /* [Position.refresh] */
      index == limit && limit < capacity[segment] && published > start[segment] + limit ->
      assert(!freed[segment]);
      limit = LEAST(published, END(segment)) - start[segment]
    }
  :: index == capacity[segment] && next[segment] != NONE -> goToNextSegment()
  :: true -> break   /* at any moment */
  od;
  leave();
  atomic { readersDone++; segment = 0; index = 0; limit = 0; toSegment = 0; toIndex = 0 }
}
#endif

#if CONSUMERS > 0

/* [Position.claim] `claimed` is 0 if it returns nil. */
inline claim() {
#ifdef BREAK_HEADER_FIRST
  segment = header;
#endif
  atomic {   /* word.load */
    was = number;
    claimed = (holder == epoch -> 1 : 0);
#ifdef BREAK_TICKETS
    claimed = 1
#endif
  };
  if
  :: claimed ->
    atomic {   /* [Position.ready] */
      claimed = (known > was -> LEAST(BATCH, known - was) : 0)
    }
  :: else
  fi;
  if
  :: claimed ->
    mayStop();
#ifndef BREAK_HEADER_FIRST
    segment = header;
#endif
    mayStop();
#ifdef BREAK_STORE
    atomic { number = was + claimed; holder = epoch }   /* a store, not an exchange */
#else
    atomic {   /* word.compareExchange */
      if
#ifdef BREAK_TICKETS
      :: number == was -> number = was + claimed
#else
      :: number == was && holder == epoch -> number = was + claimed
#endif
      :: else -> claimed = 0; segment = 0
      fi
    }
#endif
  :: else
  fi
}

/* [Position.claimClosed] With the cursor's lock. */
inline claimClosed() {
  atomic {   /* word.load */
    was = number;
    old = holder
  };
  atomic {
#ifdef BREAK_CLAIM_OPEN
    claimed = (known > was -> 1 : 0)
#else
    claimed = (old == NOBODY && known > was -> 1 : 0)
#endif
  };
  if
  :: claimed ->
    segment = header;
    atomic {
      number = was + 1;
      holder = old;
      assert(epoch == newest)   /* C32: a displaced one takes nothing */
    }
  :: else
  fi;
  old = 0
}

/* [Cursor.take(_: Claim), takeUpTo] The slots are the caller's until it has finished. */
inline takeClaimed(notes) {
#ifdef BREAK_FINISH_FIRST
  if :: notes -> finish() :: else fi;
#endif
  mayStop();
  index = 0;
  do
  :: index < claimed ->
    assert(!freed[segment] && was + index >= start[segment] && was + index < END(segment));
    slot = SLOT(segment, was + index - start[segment]);
    index++;
    take()
  :: else -> break
  od;
  mayStop();
#ifndef BREAK_FINISH_FIRST
  if :: notes -> finish() :: else fi;
#endif
  atomic { claimed = 0; was = 0; segment = 0; index = 0 }
}

/* [Position.finish] A load and a store. */
inline finish() {
  toIndex = finished;
  mayStop();
  atomic { finished = toIndex + claimed; toIndex = 0 }
}

/* [Position.refresh] A load, and a store of what may be out of date by then. */
inline refresh() {
  toIndex = published;
  toIndex = LEAST(toIndex, reach);
  mayStop();
  known = toIndex;
  toIndex = 0
}

/* [LogCursor.closeIfUnfinished: Position.close] With the cursor's lock. */
inline closeIfUnfinished() {
#ifdef BREAK_NOT_CLOSED
  was = number;   /* the older one goes on claiming */
#else
  atomic { was = number; holder = NOBODY };
#endif
  atomic {
    if
    :: finished != was ->
#ifndef BREAK_HOLDS_NOTHING
      retain(header);
#endif
      parked = header;
      parkedUntil = was
    :: else
    fi;
    was = 0
  }
}

/* [LogCursor.admit] With the cursor's lock. A place that is closed with nothing parked has no claim
 * that is not finished: those made under the lock are not counted. */
inline admit() {
  if
  :: holder == epoch
  :: holder != epoch ->
    if
#ifdef BREAK_LOOK_CLOSED
    :: parked == NONE -> closeIfUnfinished()
#else
    :: parked == NONE && holder != NOBODY -> closeIfUnfinished()
#endif
    :: else
    fi;
    if
    :: parked == NONE -> open()
#ifdef BREAK_REOPEN
    :: parked != NONE -> open()   /* without looking at what is finished */
#else
    :: parked != NONE && finished == parkedUntil -> open()
#ifndef BREAK_WAITS
    :: parked != NONE && finished != parkedUntil
#endif
#endif
    fi
  fi
}

/* [Position.open] */
inline open() {
  if
  :: parked != NONE ->
#ifndef BREAK_HOLDS_NOTHING
    release(parked);
#endif
    atomic { parked = NONE; parkedUntil = 0 }
  :: else
  fi;
  was = number;
  finished = was;
  atomic { number = was; holder = epoch; was = 0 }
}

/* [LogCursor.advance, Position.advance] With the cursor's lock. `found` if there is an element. */
inline advance() {
#ifdef BREAK_LOOK_BEFORE
  if
  :: holder != NOBODY && finished != number -> closeIfUnfinished()
  :: else
  fi;
#endif
  do
  :: atomic { number == END(header) && next[header] != NONE -> assert(!freed[header]) };
#ifndef BREAK_LOOK_BEFORE
    /* All of this segment is claimed now, so nobody who still copies is overlooked. */
#ifndef BREAK_NO_OVERLAP
    if
    :: holder != NOBODY && finished != number -> closeIfUnfinished()
    :: else
    fi;
#endif
#endif
    old = header;
    atomic { retain(next[old]) };
#ifdef BREAK_REACH_FIRST
    reach = END(next[old]);
    known = LEAST(published, reach);
#endif
    header = next[old];
    release(old);
    old = 0
  :: atomic { !(number == END(header) && next[header] != NONE) -> break }
  od;
#ifdef BREAK_REACH_BEYOND
  reach = END(header) + 1;
#else
  reach = END(header);
#endif
  refresh();
  found = known > number;
#ifdef RECORDED
  forget(0)
#endif
}

/* [Position.forgetKnown] */
inline forget(most) {
  old = header;
  atomic {   /* what is known is counted from the segment's start */
    assert(!freed[old]);
    known = LEAST(known, number + most);
    old = 0
  }
}

/* [Waiter.excluding] */
inline lock() { atomic { !cursorOwner -> cursorOwner = me + 1 } }
inline unlock() {
  atomic { assert(cursorOwner == me + 1); cursorOwner = 0 }
}

/* [Waiter.waitForElement: ask, LogCursor.look] `found` if there may be an element. */
inline ask() {
  atomic {
    !cursorOwner ->
    if
    :: newest > epoch -> goto through
    :: else -> cursorOwner = me + 1; newest = epoch
    fi
  };
  admit();
  advance();
  if
  :: found
  :: else -> atomic { !locked -> found = number < start[endSegment] + endIndex }   /* [LogState.look] */
  fi;
  unlock()
}

/* [Cursor.takeKnown] With the cursor's lock. */
inline takeKnown() {
  claim();
  if
  :: claimed -> takeClaimed(true)
  :: else ->
    claimClosed();
    if :: claimed -> takeClaimed(false) :: else fi
  fi
}

/* [Cursor.takeNoting] With the cursor's lock. */
inline takeNoting() {
  refresh();
  if
  :: known > number -> forget(1); takeKnown()
  :: else
  fi
}

/* [Waiter.withPlace] */
inline withPlace() {
  lock();
  if
#ifdef BREAK_WITH_PLACE
  :: true ->
#else
  :: newest == epoch ->
#endif
#ifdef RECORDED
    takeNoting()
#else
    takeKnown()
#endif
  :: newest != epoch
  fi;
  unlock()
}

/* A `for await`: [Subscription.Iterator.next]. The newest consumer leaves when it has taken all. */
proctype Consumer(byte me) {
  byte epoch, segment, index, slot, left, letGo, old, was, claimed, toIndex;
  bool found;
#ifdef SAME_TICKET
  epoch = 1;
#else
  epoch = me + 1;
#endif
more:
  if
  :: me < CONSUMERS - 1 -> goto through   /* at any moment */
  :: true
  fi;
#ifndef TAKES_READY
  /* [Cursor.take] */
  claim();
  if
  :: claimed -> takeClaimed(true); goto more
  :: else
  fi;
  /* [Cursor.takeAfterLooking] */
  refresh();
  if
  :: known > number ->
#ifdef RECORDED
#ifdef BREAK_FORGET_UNLOCKED
    forget(0);
#endif
    withPlace()   /* [Cursor.takeRecorded] */
#else
    claim();
    if
    :: claimed -> takeClaimed(true); goto more
    :: else
    fi
#endif
  :: else
  fi;
#endif
again:
  ask();
  if
  :: !found ->
    if
    :: atomic { published > number -> goto again }
    :: atomic { sendersDone == SENDERS && published == number -> goto through }
    :: me < CONSUMERS - 1 -> goto through
    fi
  :: else -> found = false
  fi;
  /* [Cursor.takeSeen] */
  claim();
  if
  :: claimed -> takeClaimed(true)
  :: else -> withPlace()
  fi;
  goto more;
through:
  atomic { consumersDone++; found = false }
}

#ifdef TAKES_READY
/* Another task of the same consumer: [Answering.ignoreReady, Consumer.take, Cursor.lookAndTake]. */
proctype TakesReady(byte me) {
  byte epoch, segment, index, slot, left, letGo, old, was, claimed, toIndex;
  bool found;
  epoch = 1;
  do
  :: lock();
    if
    :: newest == epoch ->
#ifndef BREAK_READY_OPEN
      /* Claims under the lock only: two that finish at the same time may lose a count. */
      if
      :: holder == epoch -> closeIfUnfinished()
      :: else
      fi;
#endif
      advance();
      if
      :: found -> found = false; takeKnown()
      :: else
      fi
    :: else
    fi;
    unlock()
  :: break
  od;
  consumersDone++
}
#endif

/* The subscription: joins, is consumed, and is dropped when its consumers are through. */
proctype Subscription() {
  byte me = NONE;
  byte segment, index, limit, slot, left, letGo, old, toSegment, toIndex, i;
  atomic {
    !locked ->
    join();
    /* [Position.init] */
    number = start[segment] + index;
    finished = number;
    known = number;
    reach = number;
    header = segment;
    segment = 0;
    index = 0;
#ifdef TAKES_READY
    run TakesReady(0);
    run Consumer(1);
#else
    do :: i < CONSUMERS -> run Consumer(i); i++ :: else -> i = 0; break od
#endif
  };
  consumersDone == CONSUMERS;
  atomic {
    assert(!cursorOwner && number <= published);
#ifdef MUST_REOPEN
    /* The next consumer that asks opens the place. */
    assert(holder == NOBODY || (parked == NONE && finished == number));
    assert(parked == NONE || finished == parkedUntil);
#endif
    segment = header;
    index = number - start[segment]
  };
#ifndef BREAK_PARKED_STAYS
  if
  :: parked != NONE -> release(parked); parked = NONE
  :: else
  fi;
#endif
  leave();
  atomic { segment = 0; index = 0; toSegment = 0; toIndex = 0; readersDone++ }
}
#endif

/* [BroadcastLogBase.deinit] Cursors hold the log: there is none. */
proctype Log() {
  byte letGo, slot;
  sendersDone == SENDERS && readersDone == CURSORS;
  if
  :: endSegment != NONE -> release(endSegment)
  :: else
  fi;
  atomic {
    assert(!locked && readers == 0);
    slot = 0;
    do
    :: slot < SLOTS -> assert(element[slot] != LIVE && owed[slot] == 0); slot++
    :: else -> break
    od;
    slot = 0;
    do
    :: slot < made -> assert(freed[slot] && holders[slot] == 0); slot++
    :: else -> break
    od
  }
}

init {
  byte i;
  atomic {
    do :: i < SENDERS -> run Sender(); i++ :: else -> break od;
#if READERS > 0
    i = 0;
    do :: i < READERS -> run Reader(); i++ :: else -> break od;
#endif
#if CONSUMERS > 0
    run Subscription();
#endif
    run Log()
  }
}

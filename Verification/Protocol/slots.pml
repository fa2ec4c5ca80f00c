/*
 * Counted slots: how elements are written for the readers there are, read without a lock, and
 * destroyed by whoever is the last to be owed them; and how segments are held and freed.
 *
 * Each step carries, in brackets, the Swift function that it stands for. One step is one access to
 * what several tasks share: an atomic operation, the beginning or the end of a copy. Memory is
 * sequentially consistent.
 *
 * Readers here never sleep: they read what there is, at any moment, or leave. When they look again
 * is the business of protocol.pml, and so is that one task at a time reads by a cursor.
 *
 * What is checked: the assertions below, and that every run ends with everything destroyed and
 * freed.
 */

/* The scenario. */
#ifndef READERS
#define READERS 2    /* each joins at some moment, reads some and leaves */
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

#define SEGMENTS (SENDERS * SENDS / CAPACITY + 2)
#define SLOTS (SEGMENTS * CAPACITY)
#define NONE 255
#define SLOT(segment, index) ((segment) * CAPACITY + (index))

/* ---- The log, behind its lock (LogState). ---- */

bool locked
byte readers
byte endSegment = NONE
byte endIndex
byte made                    /* segments made */
byte sendersDone, readersDone

/* ---- Segments, shared as `Segment` says. ---- */

byte holders[SEGMENTS]
byte published[SEGMENTS]
byte next[SEGMENTS] = NONE
bool freed[SEGMENTS]
byte owed[SLOTS]

#define EMPTY 0              /* not written yet */
#define LIVE 1
#define GONE 2               /* moved out or destroyed */
byte element[SLOTS]
byte copying[SLOTS]          /* readers in the middle of a copy */

/* [Segment.make] One holder. */
inline make(segment) {
  segment = made;
  made++;
  holders[segment] = 1
}

inline retain(segment) {
  assert(!freed[segment] && holders[segment] > 0);
  holders[segment]++
}

/* [Segment.release] Who lets go last frees, and lets go of the next in turn. */
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

/* [BroadcastLog.append] With no reader nothing is stored. */
proctype Sender() {
  byte sent, segment, slot, letGo;
  do
  :: sent < SENDS ->
    atomic { !locked -> locked = true; sent++ };
    if
    :: readers == 0
    :: else ->   /* [LogState.appendSlot] */
      if
      :: endIndex == CAPACITY ->
        atomic {
          segment = endSegment;
          make(endSegment);
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
      /* [Segment.append] */
      slot = SLOT(endSegment, endIndex);
      assert(!freed[endSegment] && element[slot] == EMPTY && owed[slot] == 0);
#ifdef BREAK_PUBLISH_FIRST
      published[endSegment] = endIndex + 1;
#endif
      element[slot] = LIVE;
#ifdef BREAK_OWED_LAST
      published[endSegment] = endIndex + 1;
#endif
      owed[slot] = readers;
#if !defined(BREAK_PUBLISH_FIRST) && !defined(BREAK_OWED_LAST)
      published[endSegment] = endIndex + 1;
#endif
      slot = 0;
      endIndex++
    fi;
    locked = false
  :: sent == SENDS -> break
  od;
  atomic { sendersDone++; sent = 0 }
}

inline copy() {
  atomic { assert(!freed[segment] && element[slot] == LIVE); copying[slot]++ };
  atomic { assert(!freed[segment] && element[slot] == LIVE); copying[slot]-- }
}

inline countDown() {
  atomic {
    assert(!freed[segment] && owed[slot] > 0);
    owed[slot]--;
    left = owed[slot]
  }
}

/* [Position.takeKnown] */
inline takeKnown() {
  slot = SLOT(segment, index);
  index++;
  assert(!freed[segment]);
#ifdef BREAK_MOVE_UNCHECKED
  if
  :: true ->
#else
  if
  :: atomic { owed[slot] == 1 -> skip };   /* alone: moves the element out */
#endif
    owed[slot] = 0;
    atomic { destroy(slot) }
#ifndef BREAK_MOVE_UNCHECKED
  :: atomic { owed[slot] != 1 -> skip };
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

/* [Position.skip] */
inline skipTo(limitIndex) {
  do
  :: index < limitIndex ->
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

/* [Position.goToNextSegment] There is one. */
inline goToNextSegment() {
  assert(!freed[segment] && index == CAPACITY);
  old = segment;
  segment = next[segment];
#ifdef BREAK_RELEASE_FIRST
  release(old);
  atomic { retain(segment); index = 0; limit = 0; old = 0 }
#else
  atomic { retain(segment); index = 0; limit = 0 };
  release(old);
  old = 0
#endif
}

/* [Cursor] */
proctype Reader() {
  byte segment, index, limit, slot, left, letGo, old, toSegment, toIndex;
  /* [BroadcastLog.join: LogState.addReader, Position.init] */
  atomic {
    !locked ->
    if
    :: endSegment == NONE -> make(endSegment)
    :: else
    fi;
    readers++;
    segment = endSegment;
    index = endIndex;
    limit = endIndex;
    retain(segment)
  };
  do
  :: index < limit -> takeKnown()
  :: atomic {   /* [Position.refresh] */
      index == limit && published[segment] > limit ->
      assert(!freed[segment]);
      limit = published[segment]
    }
  :: index == CAPACITY && next[segment] != NONE -> goToNextSegment()
  :: true -> break   /* at any moment */
  od;
  /* [Cursor.deinit: BroadcastLogBase.unsubscribe] */
#ifdef BREAK_LEAVE_IN_TWO
  atomic { !locked -> toSegment = endSegment; toIndex = endIndex };
  atomic { !locked -> readers-- };
#else
  atomic { !locked -> readers--; toSegment = endSegment; toIndex = endIndex };
#endif
  /* [Position.abandon] */
#ifndef BREAK_NO_SKIP
  do
  :: segment != toSegment -> skipTo(CAPACITY); goToNextSegment()
  :: segment == toSegment -> break
  od;
  skipTo(toIndex);
#endif
  release(segment);
  atomic { readersDone++; segment = 0; index = 0; limit = 0; toSegment = 0; toIndex = 0 }
}

/* [BroadcastLogBase.deinit] Cursors hold the log: there is none. */
proctype Log() {
  byte letGo, slot;
  sendersDone == SENDERS && readersDone == READERS;
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
    i = 0;
    do :: i < READERS -> run Reader(); i++ :: else -> break od;
    run Log()
  }
}

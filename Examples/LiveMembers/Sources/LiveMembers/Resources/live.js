"use strict";

// Keeps the list as the server has it. Of all visible pages of a browser one has a stream, and tells the
// others: a browser has six connections to a server (HTTP/1.1), and each stream holds one. Pages that nobody
// sees have none.

const list = document.getElementById("list");
const connection = document.getElementById("connection");
const beat = 1000 * list.dataset.heartbeat;
const pages = new BroadcastChannel("live-members");
// The newest list as the server wrote it: the one on the page has what this person is about to do in it.
let newest = {html: list.innerHTML, id: list.dataset.id};
let lastSign = Date.now();
let olderSince = null; // the first of those signs of life in a row that were of an older list
let place = null; // ends this page's part, while it is visible
let leads = false; // whether it has the stream

function showConnection(state) {
  const texts = {connecting: "Connecting …", live: "Live", lost: "Reconnecting …"};
  connection.dataset.state = state;
  if (connection.textContent !== texts[state]) connection.textContent = texts[state];
}

function tell(state) {
  showConnection(state);
  pages.postMessage({state, id: newest.id});
}

// A server may be behind for a moment. For longer: its database is one of before.
function isSetBack(id) {
  olderSince = isNews(newest.id, id) ? olderSince ?? Date.now() : null;
  return olderSince !== null && Date.now() - olderSince > 1.5 * beat;
}

function take(html, id) {
  olderSince = null;
  newest = {html, id};
  show(html);
}

// Whether a page that shows one list lacks the other. (As in MemberList.swift.)
function isNews(id, shown) {
  const [name, revision] = split(id), [shownName, shownRevision] = split(shown);
  return name !== shownName || revision > shownRevision;
}

function split(id) {
  const end = id.lastIndexOf("-");
  return [id.slice(0, end), Number(id.slice(end + 1))];
}

// Has the stream until the signal. A stream that is silent for three heartbeats is opened anew: a browser
// waits for one without end.
function lead(signal) {
  return new Promise(resolve => {
    let source, opening;
    let pause = 1000; // until a server is asked again that refused a stream
    let patience = 3 * beat; // with a stream that is open and silent
    leads = true;
    const hears = () => { lastSign = Date.now(); };
    const bounded = time => Math.min(Math.max(time, 3 * beat), 48 * beat);
    const open = after => {
      clearTimeout(opening);
      opening = null;
      source?.close();
      hears();
      source = new EventSource("/events" + (after ? "?after=" + encodeURIComponent(after) : ""));
      source.onopen = () => { hears(); pause = 1000; tell("live"); };
      source.addEventListener("list", event => {
        // On a slow line the next one takes as long.
        patience = bounded(2 * (Date.now() - lastSign));
        hears();
        const isBack = isNews(newest.id, event.lastEventId);
        take(event.data, event.lastEventId);
        showConnection("live");
        pages.postMessage({...newest, isBack, state: "live"});
      });
      source.addEventListener("beat", event => {
        hears();
        tell("live");
        if (isSetBack(event.data)) open(null);
      });
      source.onerror = () => {
        tell("lost");
        // A browser connects again by itself, except after an answer that is no stream: too many are open,
        // or a proxy's server is away.
        if (source.readyState === EventSource.CLOSED) again();
      };
    };
    const again = () => {
      clearTimeout(opening);
      opening = setTimeout(() => open(newest.id), pause * (1 + Math.random()));
      pause = Math.min(2 * pause, 16_000);
    };
    const watch = setInterval(() => {
      const silence = Date.now() - lastSign;
      if (silence > 3 * beat) tell("lost");
      else if (connection.dataset.state !== "live") tell(connection.dataset.state); // this page's own sign of life
      // A list that takes longer on a slow line is not seen before its end: it gets more time.
      const isOpen = source.readyState === EventSource.OPEN;
      if (opening || silence <= (isOpen ? patience : 3 * beat)) return;
      if (isOpen) patience = bounded(2 * patience);
      open(newest.id);
    }, beat / 2);
    signal.addEventListener("abort", () => {
      leads = false;
      clearTimeout(opening);
      clearInterval(watch);
      source.close();
      resolve();
    });
    open(newest.id);
  });
}

// A page without the stream hears the one that has it. If that is silent for long, it takes the stream over.
function follow(signal) {
  pages.postMessage({asks: newest.id});
  lastSign = Date.now();
  const watch = setInterval(() => {
    const silence = Date.now() - lastSign;
    if (silence > 3 * beat) showConnection("lost");
    if (silence > 5 * beat) join({steal: true});
  }, beat / 2);
  signal.addEventListener("abort", () => clearInterval(watch));
}

function join(options) {
  place?.abort();
  const ending = place = new AbortController();
  // Without locks, on a page that was loaded from elsewhere without encryption, each page has a stream.
  if (!navigator.locks) {
    lead(ending.signal);
    return;
  }
  const following = new AbortController();
  ending.signal.addEventListener("abort", () => following.abort());
  follow(following.signal);
  navigator.locks.request("live-members", options ?? {signal: ending.signal}, () => {
    following.abort();
    return ending.signal.aborted ? null : lead(ending.signal);
  }).catch(() => {
    // Another page took the stream over, or nobody sees this one any more.
    if (place === ending && !ending.signal.aborted) join();
  });
}

function leave() {
  place?.abort();
  place = null;
  // When somebody sees the page again, it is not connected yet.
  showConnection("connecting");
}

pages.onmessage = ({data}) => {
  if (!place) return;
  if (!leads) hear(data);
  else if (data.asks) {
    tell(connection.dataset.state);
    if (isNews(newest.id, data.asks)) pages.postMessage({...newest, state: connection.dataset.state});
  }
};

function hear(data) {
  if (data.asks) return; // by another page, of the one that has the stream
  lastSign = Date.now();
  showConnection(data.state);
  // The page that has the stream may be behind this one, with another server: it takes this one back only
  // when the server has taken it back itself.
  if (data.html && (data.isBack || isNews(data.id, newest.id))) take(data.html, data.id);
  else if (isSetBack(data.id)) join({steal: true});
}

function update() {
  if (document.visibilityState !== "visible") leave();
  else if (!place) join();
}

"use strict";

// Keeps the list as the server has it. Of all visible pages of a browser one has a stream, and tells the
// others: a browser has six connections to a server (HTTP/1.1), and each stream holds one. Pages that nobody
// sees have none.

const list = document.getElementById("list");
const connection = document.getElementById("connection");
const beat = 1000 * list.dataset.heartbeat;
const pages = new BroadcastChannel("live-members");
let lastSign = Date.now();
let place = null; // ends this page's part, while it is visible
let leads = false; // whether it has the stream

function showConnection(state) {
  const texts = {connecting: "Connecting …", live: "Live", lost: "Reconnecting …"};
  connection.dataset.state = state;
  if (connection.textContent !== texts[state]) connection.textContent = texts[state];
}

function tell(state) {
  showConnection(state);
  pages.postMessage({state});
}

// Whether a page that shows one list lacks the other. (As in Roster.swift.)
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
    let source, opening, older = 0;
    leads = true;
    const open = after => {
      clearTimeout(opening);
      source?.close();
      lastSign = Date.now();
      source = new EventSource("/events" + (after ? "?after=" + encodeURIComponent(after) : ""));
      source.onopen = () => { lastSign = Date.now(); tell("live"); };
      source.addEventListener("list", event => {
        lastSign = Date.now();
        older = 0;
        show(event.data, event.lastEventId);
        pages.postMessage({html: event.data, id: event.lastEventId, state: "live"});
      });
      source.addEventListener("beat", event => {
        lastSign = Date.now();
        tell("live");
        // A server may be behind for a moment. For longer: its database is one of before.
        older = isNews(list.dataset.id, event.data) ? older + 1 : 0;
        if (older > 2) open(null);
      });
      source.onerror = () => {
        tell("lost");
        // A browser connects again by itself, except after an answer that is no stream.
        if (source.readyState === EventSource.CLOSED) again();
      };
    };
    const again = () => {
      clearTimeout(opening);
      opening = setTimeout(() => open(list.dataset.id), 1000 + 1000 * Math.random());
    };
    const watch = setInterval(() => {
      if (Date.now() - lastSign > 3 * beat) {
        tell("lost");
        open(list.dataset.id);
      } else if (connection.dataset.state !== "live") {
        tell(connection.dataset.state); // this page's own sign of life
      }
    }, beat / 2);
    signal.addEventListener("abort", () => {
      leads = false;
      clearTimeout(opening);
      clearInterval(watch);
      source.close();
      resolve();
    });
    open(list.dataset.id);
  });
}

// A page without the stream hears the one that has it. If that is silent for long, it takes the stream over.
function follow(signal) {
  pages.postMessage({asks: list.dataset.id});
  lastSign = Date.now();
  const watch = setInterval(() => {
    const silence = Date.now() - lastSign;
    if (silence > 3 * beat) showConnection("lost");
    if (silence > 5 * beat) join({steal: true});
  }, beat / 2);
  signal.addEventListener("abort", () => clearInterval(watch));
}

function join(options) {
  leave();
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
}

pages.onmessage = ({data}) => {
  if (!place) return;
  if (!leads) hear(data);
  else if (data.asks) {
    tell(connection.dataset.state);
    if (isNews(list.dataset.id, data.asks)) {
      pages.postMessage({html: list.innerHTML, id: list.dataset.id, state: connection.dataset.state});
    }
  }
};

function hear(data) {
  if (data.asks) return; // by another page, of the one that has the stream
  lastSign = Date.now();
  showConnection(data.state);
  if (data.html) show(data.html, data.id);
}

function update() {
  if (document.visibilityState !== "visible") leave();
  else if (!place) join();
}

"use strict";

const list = document.getElementById("list");
const error = document.getElementById("error");
const connection = document.getElementById("connection");

function showConnection(state, text) {
  connection.dataset.state = state;
  connection.textContent = text;
}

// The list, as the server renders it. A browser reconnects by itself and names the last event it had;
// only after an answer that is no stream does it give up, and then this asks again.
function follow() {
  const source = new EventSource("/events?after=" + encodeURIComponent(list.dataset.id));
  source.onopen = () => showConnection("live", "Live");
  source.addEventListener("list", event => {
    const focused = document.activeElement?.id;
    list.innerHTML = event.data;
    list.dataset.id = event.lastEventId;
    if (focused && !document.activeElement?.id) document.getElementById(focused)?.focus();
  });
  source.onerror = () => {
    showConnection("lost", "Reconnecting …");
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 1000 + 1000 * Math.random());
  };
}

// Sends a form, again if no answer comes or the server cannot tell: the key that is in it makes that
// harmless. Gives why it was refused, or nothing.
async function send(form, body) {
  for (let pause = 250; ; pause = Math.min(2 * pause, 2000)) {
    const answer = await fetch(form.action, {
      method: "POST", body, headers: {Accept: "text/plain"},
    }).catch(() => null);
    if (answer?.ok) return "";
    if (answer && answer.status !== 503) return await answer.text() || "That was refused.";
    error.textContent = "The server does not answer; trying again …";
    await new Promise(resume => setTimeout(resume, pause));
  }
}

function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join("");
}

document.addEventListener("submit", async event => {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector("button");
  if (button.disabled) return;
  const body = new URLSearchParams(new FormData(form));
  button.disabled = true;
  const refusal = await send(form, body);
  button.disabled = false;
  error.textContent = refusal;
  if (form.id !== "add") return;
  form.elements.key.value = randomKey();
  if (!refusal) form.elements.name.value = "";
  form.elements.name.focus();
});

showConnection("connecting", "Connecting …");
follow();

"use strict";

const error = document.getElementById("error");
const name = document.getElementById("name");

// Rows come and go, and do not change. Those that stay are left alone, so what is selected, focused or about
// to be clicked there is the same after a change. Only the count is announced.
function show(html) {
  if (isPressed) {
    pending = html;
    return;
  }
  pending = null;
  const next = document.createElement("template");
  next.innerHTML = html;
  const stay = new Set(Array.from(next.content.querySelectorAll("li"), row => row.id));
  const heir = heirOfFocus(stay);
  const rows = list.querySelector("ul");
  for (const row of [...rows.children]) if (!stay.has(row.id)) row.remove();
  let place = rows.firstElementChild;
  for (const row of next.content.querySelectorAll("li")) {
    if (place?.id === row.id) place = place.nextElementSibling;
    else rows.insertBefore(row, place);
  }
  heir?.focus();
  const count = list.querySelector("#count");
  const text = next.content.querySelector("#count").textContent;
  if (count.textContent !== text) count.textContent = text;
  const clear = list.querySelector("#clear");
  const nextClear = next.content.querySelector("#clear");
  clear.hidden = nextClear.hidden;
  clear.open &&= !clear.hidden;
  clear.querySelector("[name=key]").value = nextClear.querySelector("[name=key]").value;
}

// Who has the focus after the row that has it: what this person removed is followed by the next button. Of
// what somebody else removed, the row: the key that was meant for the one must not remove the other.
function heirOfFocus(stay) {
  const focused = document.activeElement;
  if (focused.closest("#clear")) return stay.size ? null : name;
  const row = focused.closest("#list li");
  if (!row || stay.has(row.id)) return null;
  for (const direction of ["nextElementSibling", "previousElementSibling"]) {
    let heir = row[direction];
    while (heir && !stay.has(heir.id)) heir = heir[direction];
    if (heir) return row.dataset.removed ? heir.querySelector("button") : heir;
  }
  return name;
}

// A click is a press and a release in one place: until then the list stands still.
let isPressed = false;
let pending = null;
let pressed;

addEventListener("pointerdown", () => {
  isPressed = true;
  clearTimeout(pressed);
  pressed = setTimeout(release, 2000);
}, true);
for (const event of ["pointerup", "pointercancel", "blur"]) {
  addEventListener(event, ({target}) => {
    // The field that loses the focus to what is pressed is no reason: only the window is.
    if (event === "blur" && target !== window) return;
    setTimeout(release, 0); // the click comes after the release
  }, true);
}

function release() {
  clearTimeout(pressed);
  isPressed = false;
  if (pending) show(pending);
}

// Sends a form, again for half a minute if no answer comes or the server cannot tell: the key that is in it
// makes that harmless. Gives why it failed, or nothing, and whether that is certain.
async function send(form, body) {
  const end = Date.now() + 30_000;
  for (let pause = 250; ; pause = Math.min(2 * pause, 2000)) {
    const slow = setTimeout(() => error.textContent = "Waiting for the server …", 3000);
    const [status, text] = await post(form.action, body);
    clearTimeout(slow);
    if (status === 204) return ["", true];
    // From the server itself or a proxy before it: later it may do it.
    const isPassing = [0, 502, 503, 504].includes(status);
    if (!isPassing) return [text || "That was refused.", true];
    const reason = status === 503 && text ? text.replace(/\.$/, "") : "The server does not answer";
    if (Date.now() > end) return [reason + ". It is not known whether that was done; please try again.", false];
    error.textContent = reason + "; trying again …";
    await new Promise(resume => setTimeout(resume, pause));
  }
}

async function post(address, body) {
  try {
    const answer = await fetch(address, {
      method: "POST", body, headers: {Accept: "text/plain"}, signal: AbortSignal.timeout(12_000),
    });
    const isText = answer.headers.get("Content-Type")?.startsWith("text/plain");
    return [answer.status, isText ? (await answer.text()).trim() : ""];
  } catch {
    return [0, ""];
  }
}

function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join("");
}

async function submit(event) {
  event.preventDefault();
  const form = event.target;
  const button = form.querySelector("button");
  // It keeps the focus, which a disabled button loses.
  if (button.ariaDisabled === "true") return;
  const body = new URLSearchParams(new FormData(form));
  button.ariaDisabled = "true";
  const row = form.closest("li");
  if (row) row.dataset.removed = true;
  const [failure, isCertain] = await send(form, body);
  button.ariaDisabled = null;
  if (row && failure) delete row.dataset.removed;
  error.textContent = failure;
  if (form.id !== "add") return;
  if (isCertain) form.elements.key.value = randomKey();
  // What this person has typed meanwhile stays, and so does a focus elsewhere.
  if (!failure && name.value === body.get("name")) name.value = "";
  if (form.contains(document.activeElement)) name.focus();
}

// Without live.js this ends here: the forms stay plain forms, which work, and the page says that it is not live.
update();
showConnection("connecting");
document.addEventListener("submit", submit);
document.addEventListener("visibilitychange", update);
addEventListener("pagehide", leave);
addEventListener("pageshow", update);

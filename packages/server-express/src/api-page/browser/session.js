/** The tokens live in these variables and nowhere else: no storage, no cookie. */
let token = "";
let refreshToken = "";

/** The token to send; empty: nobody is signed in. */
export function currentToken() {
  return token;
}

/** Where the API is mounted: the page lies right below. */
export const base = new URL(".", location.href).href;

/** Makes the forms at the page's head work. */
export function startSession() {
  const ways = { password: withPassword, token: withToken, renewal: withNewPassword };
  for (const [name, way] of Object.entries(ways)) {
    const form = signInForm(name);
    form?.addEventListener("submit", (event) => {
      event.preventDefault();
      way(new FormData(form)).catch((/** @type {Error} */ { message }) => say(message));
    });
  }
  document.querySelector("[data-sign-out]")?.addEventListener("click", signOut);
}

/** A password that is for once, until one's own is chosen. */
let renewed = { username: "", oldPassword: "", token: "" };

/** @param {FormData} fields */
async function withPassword(fields) {
  const [username, password] = [textOf(fields, "username"), textOf(fields, "password")];
  const tokens = await call("auth/sessions", { username, password });
  if (tokens.forcePasswordChange !== true) return enter(tokens.accessToken, tokens.refreshToken);
  renewed = { username, oldPassword: password, token: tokens.accessToken };
  signInForm("renewal")?.removeAttribute("hidden");
  say("Choose a password of your own.");
}

/** @param {FormData} fields */
async function withNewPassword(fields) {
  const newPassword = textOf(fields, "newPassword");
  const { username, oldPassword, token: bearer } = renewed;
  await call("accounts/me/password", { oldPassword, newPassword }, bearer);
  renewed = { username: "", oldPassword: "", token: "" };
  const tokens = await call("auth/sessions", { username, password: newPassword });
  await enter(tokens.accessToken, tokens.refreshToken);
}

/** @param {FormData} fields */
function withToken(fields) {
  return enter(textOf(fields, "token"), "");
}

/**
 * @param {string} accessToken
 * @param {string} refresh
 */
async function enter(accessToken, refresh) {
  const account = await call("accounts/me", undefined, accessToken);
  token = accessToken;
  refreshToken = refresh;
  for (const form of document.querySelectorAll("form[data-sign-in]")) if (form instanceof HTMLFormElement) form.reset();
  signInForm("renewal")?.setAttribute("hidden", "");
  fillOwn(account.id);
  show(`Signed in as ${account.username ?? account.email ?? account.id}.`);
}

function signOut() {
  // The server ends the session too, where it can be told; a token that was pasted belongs to somebody else's session.
  if (refreshToken !== "") call("auth/revoke", { token: refreshToken }).catch(() => {});
  token = refreshToken = "";
  show("Not signed in.");
}

/**
 * @param {FormData} fields
 * @param {string} name
 */
function textOf(fields, name) {
  return String(fields.get(name) ?? "");
}

/**
 * @param {string} name
 * @returns {HTMLFormElement | null}
 */
function signInForm(name) {
  return document.querySelector(`form[data-sign-in="${name}"]`);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [bearer]
 */
async function call(path, body, bearer = "") {
  const headers = {
    ...(bearer !== "" && { Authorization: `Bearer ${bearer}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const sent = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(new URL(path, base), sent);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.detail);
  return value;
}

/**
 * Forms that still name the example's owner name one's own account instead.
 * @param {string} id
 */
function fillOwn(id) {
  for (const field of document.querySelectorAll('input[name="path:ownerId"]'))
    if (field instanceof HTMLInputElement && field.value === field.defaultValue) field.value = field.defaultValue = id;
}

/** @param {string} text */
function say(text) {
  const place = document.querySelector("[data-signed]");
  if (place !== null) place.textContent = text;
}

/** @param {string} text */
function show(text) {
  say(text);
  const out = document.querySelector("[data-sign-out]");
  const forms = document.querySelector(".sign-in details");
  if (out instanceof HTMLElement) out.hidden = token === "";
  if (forms instanceof HTMLDetailsElement) {
    forms.hidden = token !== "";
    forms.open = false;
  }
}

/** A plain page over the console: sign in as an operator, look at resources, edit tags and parameters. */
export const simulatorPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Simulated clouds</title>
<link rel="stylesheet" href="simulator/page.css"></head>
<body><h1>Simulated clouds</h1><p>These clouds exist in this server alone. Remove <code>managed-by</code> from a resource to take it over; set
<code>managed-by=platform</code> and <code>platform=reconcile</code> to give it back.</p>
<form id="login"><label>User <input name="username" value="operator" autocomplete="username"></label> <label>Password <input name="password" type="password" autocomplete="current-password"></label> <button>Sign in</button></form>
<p id="message" role="status"></p>
<details><summary>What can go wrong</summary><p>Beside each cloud stands how it behaves: <code>{}</code> is well. <code>{"slow": {"takesMs": 120000}}</code> has
each write take two minutes: components show <code>working</code>. <code>{"slow": {"takesMs": 120000, "fails": {"code": "QuotaExceeded", "message": "There is no more of it."}}}</code>
lets it end badly: <code>ProvisioningFailed</code>, in these words. <code>{"read": "fail"}</code>, <code>{"write": "throttle"}</code>, <code>{"write": "lose-answer"}</code> and
<code>{"bulk": {"delayMs": 5000}}</code> do what they say.</p></details><table id="resources"></table>
<script src="simulator/page.js"></script></body></html>`;

/** The page's style: a file of its own, like its script, so that the content security policy needs no exception. */
export const simulatorStyle = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #8884;padding:.5rem;vertical-align:top}textarea{width:100%;min-height:5rem;font:13px ui-monospace,monospace}code{overflow-wrap:anywhere}#message{min-height:1.5em}`;

/** The page's script. */
export const simulatorScript = `
const say = (text) => { document.getElementById("message").textContent = text; };
let token = "";
async function call(method, path, body) {
  const answer = await fetch(path, { method, headers: { authorization: "Bearer " + token, "content-type": "application/json" }, body: body && JSON.stringify(body) });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.detail);
  return value;
}
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
function editor(title, value, save) {
  const cell = document.createElement("td"), area = document.createElement("textarea"), button = element("button", "Save " + title);
  area.value = JSON.stringify(value, null, 1);
  button.onclick = () => Promise.resolve().then(() => save(JSON.parse(area.value))).then(() => { say("Saved."); return show(); }).catch((error) => say(error.message));
  cell.append(area, button);
  return cell;
}
async function show() {
  const table = document.getElementById("resources");
  table.replaceChildren();
  for (const provider of ["provider-a", "provider-b"]) {
    const page = await call("GET", "simulator/" + provider + "/resources?limit=200"), faults = "simulator/" + provider + "/faults", cloud = document.createElement("tr");
    cloud.append(element("th", provider), editor("behaviour", await call("GET", faults), (value) => call("PUT", faults, value)));
    table.append(cloud);
    for (const resource of page.items) {
      const path = "simulator/" + provider + "/resources/" + encodeURIComponent(resource.id), row = document.createElement("tr"), name = document.createElement("td"), remove = element("button", "Delete");
      remove.onclick = () => call("DELETE", path).then(show).catch((error) => say(error.message));
      name.append(element("code", resource.id), element("div", resource.type), remove);
      row.append(name, editor("tags", resource.tags, (tags) => call("PUT", path + "/tags", tags)), editor("parameters", resource.parameters, (patch) => call("PATCH", path + "/parameters", patch)));
      table.append(row);
    }
  }
}
document.getElementById("login").onsubmit = (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  call("POST", "auth/sessions", { username: form.get("username"), password: form.get("password") }).then((tokens) => { token = tokens.accessToken; say("Signed in."); return show(); }).catch((error) => say(error.message));
};
`;

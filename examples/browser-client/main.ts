// A page on the typed client: who has taken over what, oldest first, and for each component its differences, what a hand-back would revert,
// and a note. It is updated with each hand-over. Nothing is stored in the browser, so reloading the page signs out.
import { type Api, createClient, isLiveplaneError } from "@liveplane/client";
import { componentView, type Note } from "./component-view.ts";
import { byId, explain } from "./elements.ts";
import { type Listed, overrideList } from "./override-list.ts";

const form = byId("sign-in", HTMLFormElement);
const list = byId("overrides", HTMLElement);
const detail = byId("component", HTMLElement);
const status = byId("status", HTMLElement);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = (name: string) => String(new FormData(form).get(name));
  await reported(async () => {
    const api = createClient({
      baseUrl: field("baseUrl"),
      credentials: { username: field("username"), password: field("password") },
    });
    const { username } = await api.accounts.me();
    form.hidden = true;
    await showOverrides(api);
    addEventListener("hashchange", () => reported(() => showComponent(api)));
    await showComponent(api);
    status.textContent = `Signed in as ${username}.`;
    void reported(() => follow(api));
  });
});

/** The list is rebuilt at each hand-over and at each change of drift. */
async function follow(api: Api): Promise<void> {
  const type = ["started", "ended", "noted", "drift_changed"].map((what) => `component.override.${what}`);
  for await (const { subject } of api.events.follow({ type })) {
    await showOverrides(api);
    if (subject === chosen()) await showComponent(api, () => !(document.activeElement instanceof HTMLInputElement));
  }
}

async function showOverrides(api: Api): Promise<void> {
  const overrides: Listed[] = [];
  for await (const override of api.overrides.list.all({ sort: "age" })) overrides.push(override);
  list.replaceChildren(overrideList(overrides, chosen()));
  list.hidden = false;
}

/** Shows the chosen component if it may still be shown after it was read: what somebody types isn't replaced. */
async function showComponent(api: Api, mayShow = () => true): Promise<void> {
  const componentId = chosen();
  for (const link of list.querySelectorAll("a")) link.ariaCurrent = String(link.hash === location.hash);
  if (componentId === "") return;
  const at = { id: componentId.split("/", 1)[0] ?? "", componentId };
  const [component, plan] = await Promise.all([
    api.liveSystems.components.get(at),
    api.liveSystems.components.adoptionPlan(at),
  ]);
  if (!mayShow()) return;
  const hadFocus = detail.contains(document.activeElement);
  detail.replaceChildren(componentView(component, plan, (note) => reported(() => noted(note))));
  detail.hidden = false;
  if (hadFocus) detail.focus();

  /** Bound to the shown version: another person's note in between is shown, not overwritten. */
  async function noted(note: Note): Promise<void> {
    const outcome = await annotated(note);
    await Promise.all([showOverrides(api), showComponent(api)]);
    status.textContent = outcome;
  }

  async function annotated(note: Note): Promise<string> {
    try {
      await api.liveSystems.components.annotateOverride(at, note, { ifMatch: component.version });
      return "Noted.";
    } catch (error) {
      if (!isLiveplaneError(error, "PreconditionFailed")) throw error;
      return "It has changed meanwhile. This is how it is now.";
    }
  }
}

/** The component in the address. */
function chosen(): string {
  return decodeURIComponent(location.hash.slice(1));
}

async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    status.textContent = explain(error);
  }
}

// The board of overrides inside a page made with React: custom elements are elements like any other.
// What they may call is a property, which React sets since version 19; which component is opened is state of the page.
// The host signs in by its own form: the elements never see a password.
import type { Api } from "@liveplane/client";
import { defineLiveplaneElements, type OpenedDetail } from "@liveplane/console/elements";
import { createElement, Fragment, useState } from "react";
import { createRoot } from "react-dom/client";
import { signIn } from "./sign-in.ts";

// Before React renders them: it sets `api` as a property of elements that have one.
defineLiveplaneElements();

/** The board, and the component that was chosen on it. In TSX: `<liveplane-overrides api={api} onliveplane-open={open} />`. */
function Overrides({ api }: { readonly api: Api }) {
  const [componentId, choose] = useState<string | null>(null);
  const open = (event: CustomEvent<OpenedDetail>) => {
    event.preventDefault();
    choose(event.detail.componentId);
  };
  return createElement(
    Fragment,
    null,
    createElement("liveplane-overrides", { api, "onliveplane-open": open }),
    componentId !== null && createElement("liveplane-component", { api, "component-id": componentId }),
  );
}

const app = document.getElementById("app");
if (app !== null) createRoot(app).render(createElement(Overrides, { api: await signIn() }));

// The board of overrides in a React page, as ordinary custom elements. Their API is a property, which React has supported since version 19;
// the opened component is state of the page. The host signs in with its own form, so the elements never see a password.
import type { Api } from "@liveplane/client";
import { defineLiveplaneElements, type OpenedDetail } from "@liveplane/console/elements";
import { createElement, Fragment, useState } from "react";
import { createRoot } from "react-dom/client";
import { signIn } from "./sign-in.ts";

// Before React renders them, because it sets `api` as a property only if the element has one.
defineLiveplaneElements();

/** The board, and the component chosen on it. In TSX: `<liveplane-overrides api={api} onliveplane-open={open} />`. */
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

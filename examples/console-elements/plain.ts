import { defineLiveplaneElements, type LiveplaneElement } from "@liveplane/console/elements";
import { ownApi } from "./own-api.ts";

defineLiveplaneElements();
const board = document.querySelector<HTMLElement & LiveplaneElement>("liveplane-overrides");
const component = document.querySelector<HTMLElement & LiveplaneElement>("liveplane-component");

// A link to a component doesn't leave the page: it shows in the element below.
board?.addEventListener("liveplane-open", (event) => {
  event.preventDefault();
  if (event instanceof CustomEvent) component?.setAttribute("component-id", event.detail.componentId);
  if (component !== null) component.api = board.api;
});

const api = await ownApi();
if (board !== null) board.api = api;

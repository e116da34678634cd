// The board of overrides in a plain HTML page: two elements, which get their API from the host's own sign-in. An opened component is shown
// in the element below the board, and the page stays where it is. The elements follow the page's style: style.css sets a few of their
// variables.
import { defineLiveplaneElements, type LiveplaneElement } from "@liveplane/console/elements";
import { signIn } from "./sign-in.ts";

defineLiveplaneElements();
const board = document.querySelector<HTMLElement & LiveplaneElement>("liveplane-overrides");
const component = document.querySelector<HTMLElement & LiveplaneElement>("liveplane-component");

// A link to a component doesn't leave the page: it is shown in the element below.
board?.addEventListener("liveplane-open", (event) => {
  event.preventDefault();
  if (event instanceof CustomEvent) component?.setAttribute("component-id", event.detail.componentId);
  if (component !== null) component.api = board.api;
});

const api = await signIn();
if (board !== null) board.api = api;

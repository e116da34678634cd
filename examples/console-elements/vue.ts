// The board of overrides inside a page made with Vue: custom elements are elements like any other.
// What they may call is a property, which Vue sets where an element has one of that name; which component is opened is state of the page.
// The host signs in by its own form: the elements never see a password.
import { defineLiveplaneElements, type OpenedDetail } from "@liveplane/console/elements";
import { createApp, h, shallowRef } from "vue";
import { signIn } from "./sign-in.ts";

// Before Vue renders them: it sets `api` as a property of elements that have one.
defineLiveplaneElements();
const api = await signIn();

/** The board, and the component that was chosen on it. In a template: `<liveplane-overrides :api="api" @liveplane-open="open" />`. */
const Overrides = {
  setup() {
    const componentId = shallowRef<string | null>(null);
    const open = (event: CustomEvent<OpenedDetail>) => {
      event.preventDefault();
      componentId.value = event.detail.componentId;
    };
    return () => [
      h("liveplane-overrides", { api, onLiveplaneOpen: open }),
      componentId.value !== null && h("liveplane-component", { api, "component-id": componentId.value }),
    ];
  },
};

createApp(Overrides).mount("#app");

// The board of overrides in a Vue page, as ordinary custom elements. Their API is a property, which Vue sets if the element has one of that
// name; the opened component is state of the page. The host signs in with its own form, so the elements never see a password.
import { defineLiveplaneElements, type OpenedDetail } from "@liveplane/console/elements";
import { createApp, h, shallowRef } from "vue";
import { signIn } from "./sign-in.ts";

// Before Vue renders them, because it sets `api` as a property only if the element has one.
defineLiveplaneElements();
const api = await signIn();

/** The board, and the component chosen on it. In a template: `<liveplane-overrides :api="api" @liveplane-open="open" />`. */
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

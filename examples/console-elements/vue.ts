import { defineLiveplaneElements, type OpenedDetail } from "@liveplane/console/elements";
import { createApp, h, shallowRef } from "vue";
import { ownApi } from "./own-api.ts";

// Before Vue renders them: it sets `api` as a property of elements that have one.
defineLiveplaneElements();
const api = await ownApi();

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

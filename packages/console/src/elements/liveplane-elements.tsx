import type { Api } from "@liveplane/client";
import { type ComponentChildren, type ComponentType, render } from "preact";
import { useKeptFocus } from "../app/kept-focus.ts";
import { createLive, type Live } from "../app/live.ts";
import { createNames, type Names } from "../app/names.ts";
import { type Workplace, WorkplaceProvider } from "../app/workplace.ts";
import { Board } from "../board/board.tsx";
import { ComponentView } from "../component/component-page.tsx";
import { LiveMark } from "../parts/live-mark.tsx";
import { LiveSystemView } from "./live-system-view.tsx";

/** Replaced by the styles when the elements are bundled; absent in the sources. */
declare const ELEMENT_STYLES: string;

/** The members of the custom elements. They show nothing until they have an API. */
export interface LiveplaneElement {
  /** The client's API, or a host's own. Setting another starts over. */
  api: Api | null;
}

/** The detail of `liveplane-open`: a link to a component was followed. Prevent the default to navigate yourself. */
export interface OpenedDetail {
  readonly componentId: string;
}

export interface ElementsOptions {
  /** The address of a component's page in the host's app. @default `#<component id>` */
  readonly linkOf?: (componentId: string) => string;
}

/** What an element shows, by its attributes. */
interface ElementView {
  readonly attributes: readonly string[];
  readonly View: ComponentType<{ readonly attribute: (name: string) => string }>;
}

const views: Readonly<Record<string, ElementView>> = {
  "liveplane-overrides": { attributes: [], View: Board },
  "liveplane-component": {
    attributes: ["component-id"],
    View: ({ attribute }) => <ComponentView componentId={attribute("component-id")} />,
  },
  "liveplane-live-system": {
    attributes: ["live-system-id"],
    View: ({ attribute }) => <LiveSystemView id={attribute("live-system-id")} />,
  },
};

/**
 * Defines `<liveplane-overrides>`, `<liveplane-component component-id>` and `<liveplane-live-system live-system-id>`. They take an `api`,
 * render in a shadow root, and are styled by variables: `--liveplane-accent`, `-ink`, `-soft`, `-paper`, `-sheet`, `-line`, `-font`,
 * `-mono`, `-round`. Idempotent.
 */
export function defineLiveplaneElements({ linkOf = (id) => `#${id}` }: ElementsOptions = {}): void {
  const styles = new CSSStyleSheet();
  styles.replaceSync(typeof ELEMENT_STYLES === "undefined" ? "" : ELEMENT_STYLES);
  for (const [name, view] of Object.entries(views)) {
    if (customElements.get(name) === undefined) customElements.define(name, elementOf(view, { styles, linkOf }));
  }
}

interface ElementDeps {
  readonly styles: CSSStyleSheet;
  readonly linkOf: (componentId: string) => string;
}

/** Created on demand, because there is nothing to extend outside a browser. */
function elementOf({ attributes, View }: ElementView, { styles, linkOf }: ElementDeps): CustomElementConstructor {
  return class extends HTMLElement implements LiveplaneElement {
    static readonly observedAttributes = attributes;
    readonly #root = this.attachShadow({ mode: "open" });
    #api: Api | null = null;
    #live: Live | null = null;
    #names: Names | null = null;

    constructor() {
      super();
      this.#root.adoptedStyleSheets = [styles];
      this.#root.addEventListener("click", (event) => this.#follow(event));
    }

    get api(): Api | null {
      return this.#api;
    }

    set api(api: Api | null) {
      this.#leave();
      this.#api = api;
      this.#draw();
    }

    connectedCallback(): void {
      // A property set before the element was defined hides the setter.
      if (Object.hasOwn(this, "api")) {
        const { api } = this;
        Reflect.deleteProperty(this, "api");
        this.api = api;
      } else this.#draw();
    }

    disconnectedCallback(): void {
      this.#leave();
    }

    attributeChangedCallback(): void {
      this.#draw();
    }

    #draw(): void {
      const api = this.#api;
      if (api === null || !this.isConnected) return;
      if (this.#live === null || this.#names === null) {
        this.#live = createLive();
        this.#names = createNames(api, this.#live);
        void this.#live.follow(api);
      }
      const workplace: Workplace = {
        api,
        live: this.#live,
        names: this.#names,
        clouds: { kind: "real" },
        ownId: null,
        door: null,
        server: null,
        address: null,
        drafts: new Map(),
        tell: () => {},
        componentLink: linkOf,
      };
      const attribute = (name: string) => this.getAttribute(name) ?? "";
      render(
        <WorkplaceProvider value={workplace}>
          <Frame>
            {!workplace.live.state.value.isLive && <LiveMark live={workplace.live} />}
            <View key={attributes.map(attribute).join(" ")} attribute={attribute} />
          </Frame>
        </WorkplaceProvider>,
        this.#root,
      );
    }

    #leave(): void {
      this.#live?.stop();
      this.#live = null;
      render(null, this.#root);
    }

    /** Reports links to components. */
    #follow(event: Event): void {
      const link = event.composedPath().find((place) => place instanceof HTMLAnchorElement);
      const componentId = link instanceof HTMLAnchorElement ? link.dataset.component : undefined;
      if (componentId === undefined) return;
      const detail: OpenedDetail = { componentId };
      const opened = new CustomEvent("liveplane-open", { detail, bubbles: true, composed: true, cancelable: true });
      if (!this.dispatchEvent(opened)) event.preventDefault();
    }
  };
}

/** What is around a view in its shadow root. It keeps the focus, as a page does. */
function Frame({ children }: { readonly children: ComponentChildren }) {
  const frame = useKeptFocus<HTMLDivElement>();
  return (
    <div class="element" ref={frame}>
      {children}
    </div>
  );
}

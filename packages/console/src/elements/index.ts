export {
  defineLiveplaneElements,
  type ElementsOptions,
  type LiveplaneElement,
  type OpenedDetail,
} from "./liveplane-elements.tsx";

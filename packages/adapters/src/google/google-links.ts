const service = /^(https:\/\/(www|compute)\.googleapis\.com\/compute\/\w+\/|\/\/compute\.googleapis\.com\/)/;
const place = /^(global|(regions|zones)\/[^/]+)(\/|$)/;
/** Terraform writes `global/regions/europe-west4`. Google takes it, and shows `regions/europe-west4`. */
const placeItself = /(^|\/)global\/(?=(regions|zones)\/[^/]+$)/;

/**
 * A link of Compute Engine's from its project on, whether it is written as a whole address of any version, from the project on, or from the
 * place on, which is then in the project of the resource that holds the link; `null`: the text isn't a link.
 */
export function googleLinkOf(text: string, project: string): string | null {
  const path = text.replace(service, "").replace(placeItself, "$1");
  if (place.test(path)) return `projects/${project}/${path}`;
  const within = /^projects\/[^/]+\/(.+)$/.exec(path)?.[1];
  return within !== undefined && place.test(within) ? path : null;
}

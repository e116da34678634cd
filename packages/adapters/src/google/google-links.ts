const service = /^(https:\/\/(www|compute)\.googleapis\.com\/compute\/\w+\/|\/\/compute\.googleapis\.com\/)/;
const place = /^(global|(regions|zones)\/[^/]+)(\/|$)/;
/** Terraform writes `global/regions/europe-west4`. Google takes it, and shows `regions/europe-west4`. */
const placeItself = /(^|\/)global\/(?=(regions|zones)\/[^/]+$)/;

/**
 * A Compute Engine link starting at its project, whether it was written as a URL of any version, from the project on, or from the place on,
 * which then is in the project of the resource with the link; `null` if the text isn't a link.
 */
export function googleLinkOf(text: string, project: string): string | null {
  const path = text.replace(service, "").replace(placeItself, "$1");
  if (place.test(path)) return `projects/${project}/${path}`;
  const within = /^projects\/[^/]+\/(.+)$/.exec(path)?.[1];
  return within !== undefined && place.test(within) ? path : null;
}

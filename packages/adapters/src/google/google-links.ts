const service = /^(https:\/\/(www|compute)\.googleapis\.com\/compute\/\w+\/|\/\/compute\.googleapis\.com\/)/;
/** Other services' names of a resource: with the API's version as a URL, without as a full resource name. */
const ofService = /^(?:https:)?\/\/([a-z]+)\.googleapis\.com\/(?:v\d\w*\/)?(projects\/.+)$/;
const place = /^(global|(regions|zones)\/[^/]+)(\/|$)/;
/** Terraform writes `global/regions/europe-west4`. Google takes it, and shows `regions/europe-west4`. */
const placeItself = /(^|\/)global\/(?=(regions|zones)\/[^/]+$)/;

/**
 * A Compute Engine link starting at its project, whether it was written as a URL of any version, from the project on, or from the place on,
 * which then is in the project of the resource with the link; another service's full resource name. `null` if the text isn't a link.
 */
export function googleLinkOf(text: string, project: string): string | null {
  const path = text.replace(service, "").replace(placeItself, "$1");
  if (place.test(path)) return `projects/${project}/${path}`;
  const within = /^projects\/[^/]+\/(.+)$/.exec(path)?.[1];
  if (within !== undefined && place.test(within)) return path;
  const [, of, named] = ofService.exec(text) ?? [];
  return named === undefined ? null : `//${of}.googleapis.com/${named}`;
}

/**
 * Whether two links name one resource of Compute Engine's: by a whole address of any version, from the project on, or from the place on,
 * which then lies in the project of whoever says so.
 */
export function sameGoogleLink(declared: string, actual: string, project: string): boolean {
  const own = linked(declared, project);
  return own !== null && own === linked(actual, project);
}

const service = /^(https:\/\/(www|compute)\.googleapis\.com\/compute\/\w+\/|\/\/compute\.googleapis\.com\/)/;
const place = /^(global|(regions|zones)\/[^/]+)(\/|$)/;

/** A link from its project on; `null`: it is none. */
function linked(text: string, project: string): string | null {
  const path = text.replace(service, "");
  if (place.test(path)) return `projects/${project}/${path}`;
  const within = /^projects\/[^/]+\/(.+)$/.exec(path)?.[1];
  return within !== undefined && place.test(within) ? path : null;
}

/** Every segment, and what stands between two. */
const separators = /([:/])/;

/**
 * Whether a subject matches a pattern: segment by segment, split at `:` and `/`. `*` matches one whole segment; everything else is compared
 * exactly.
 */
export function fitsSubject(pattern: string, subject: string): boolean {
  const [wanted, found] = [pattern.split(separators), subject.split(separators)];
  return (
    wanted.length === found.length &&
    wanted.every((part, at) => (part === "*" && at % 2 === 0 ? found[at] !== "" : part === found[at]))
  );
}

/** What is wrong with a pattern; `null` if nothing. A pattern that anybody's pipeline matches is refused. */
export function faultOfSubject(pattern: string): string | null {
  const segments = pattern.split(separators).filter((_, at) => at % 2 === 0);
  if (segments.some((segment) => segment !== "*" && segment.includes("*")))
    return "A * must be a whole segment between : or / separators.";
  const first = segments.indexOf("*");
  if (first === 0 || first === 1) return "The first two segments name the owner of the pipelines and can't be *.";
  return null;
}

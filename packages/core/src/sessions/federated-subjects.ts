/** Every segment, and what stands between two. */
const separators = /([:/])/;

/**
 * Whether a subject fits a pattern: segment by segment, cut at `:` and `/`. A `*` stands for one whole segment, whatever is in it; all else is
 * compared letter by letter.
 */
export function fitsSubject(pattern: string, subject: string): boolean {
  const [wanted, found] = [pattern.split(separators), subject.split(separators)];
  return (
    wanted.length === found.length &&
    wanted.every((part, at) => (part === "*" && at % 2 === 0 ? found[at] !== "" : part === found[at]))
  );
}

/** What is wrong with a pattern; `null`: nothing. Anyone who may be anybody's pipeline is nobody's. */
export function faultOfSubject(pattern: string): string | null {
  const segments = pattern.split(separators).filter((_, at) => at % 2 === 0);
  if (segments.some((segment) => segment !== "*" && segment.includes("*")))
    return "A * must be a whole segment between : or / separators.";
  const first = segments.indexOf("*");
  if (first === 0 || first === 1) return "The first two segments name the owner of the pipelines and can't be *.";
  return null;
}

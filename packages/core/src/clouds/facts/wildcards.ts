/** Whether a text fits a pattern, in which `*` stands for any text. Case doesn't count. Takes linear time for each `*`. */
export function fitsWildcard(text: string, pattern: string): boolean {
  const own = text.toLowerCase();
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  if (last === undefined) return own === first;
  if (!own.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = own.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return own.length - last.length >= at && own.endsWith(last);
}

/** Reads typed text as JSON, or else as YAML, whose parser is loaded only then. Throws a sentence that says where the mistake is. */
export async function typedText(text: string): Promise<unknown> {
  try {
    if (/^\s*[{[]/.test(text)) return JSON.parse(text);
  } catch {
    // The parser of YAML says where the mistake is.
  }
  const { parsedText } = await import("@liveplane/client/declaration-text");
  return parsedText(text).value;
}

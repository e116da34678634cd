/** A JSON Pointer as a URI fragment, each member cut to 64 characters. */
export function pointerTo(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    encodeURIComponent(
      [...String(part)].slice(0, 64).join("").toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"),
    ),
  );
  return ["#", ...parts].join("/");
}

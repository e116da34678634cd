/**
 * A function that makes something of a frozen object only once, as long as the other arguments stay the same. What it made last lives as long
 * as that object.
 */
export function memoized<From extends object, Made, Rest extends readonly unknown[] = []>(
  make: (from: From, ...rest: Rest) => Made,
): (from: From, ...rest: Rest) => Made {
  const known = new WeakMap<From, { readonly made: Made; readonly rest: Rest }>();
  return (from, ...rest) => {
    const found = known.get(from);
    if (found?.rest.every((one, at) => one === rest[at])) return found.made;
    const made = make(from, ...rest);
    if (Object.isFrozen(from)) known.set(from, { made, rest });
    return made;
  };
}

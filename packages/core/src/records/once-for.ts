/** A function that makes something of a frozen object only once. What it made lives as long as that object. */
export function onceFor<From extends object, Made, Rest extends readonly unknown[] = []>(
  make: (from: From, ...rest: Rest) => Made,
): (from: From, ...rest: Rest) => Made {
  const known = new WeakMap<From, { readonly made: Made }>();
  return (from, ...rest) => {
    const found = known.get(from);
    if (found !== undefined) return found.made;
    const made = make(from, ...rest);
    if (Object.isFrozen(from)) known.set(from, { made });
    return made;
  };
}

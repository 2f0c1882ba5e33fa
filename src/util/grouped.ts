/** Divides a list by the keys of its elements. Groups are in the order of their first elements, elements in that of the list. */
export function grouped<T>(list: Iterable<T>, keyOf: (element: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const element of list) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group) group.push(element);
    else groups.set(key, [element]);
  }
  return [...groups.values()];
}

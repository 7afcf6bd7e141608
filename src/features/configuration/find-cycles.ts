/**
 * The cycles of dependencies, each once, from its first service to its last. Walks depth first. Pure.
 * @param dependencies of services, by id; ids that are not among them do not count
 */
export function findCycles(
  dependencies: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  for (const start of dependencies.keys()) {
    const trail: string[] = [];
    const visit = (id: string): void => {
      const next = dependencies.get(id);
      if (next === undefined || done.has(id)) return;
      const at = trail.indexOf(id);
      if (at !== -1) return void cycles.push(trail.slice(at));
      trail.push(id);
      for (const one of next) visit(one);
      trail.pop();
      done.add(id);
    };
    visit(start);
  }
  return cycles;
}

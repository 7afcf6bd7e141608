/** The services of an environment as a picture: where each is, and the lines between them. Pure. */
import type { EnvironmentGraph, GraphEdge } from "../../../sdk/src/generated/types.ts";

/** Stands for the variables of the environment, which all its services get. */
export const ENVIRONMENT = "environment";

/** All references of one service to another. */
export type GraphLine = {
  /** The id of a service, or `ENVIRONMENT`. */
  readonly from: string;
  readonly to: string;
  /** Whether the release waits for the other's. */
  readonly isWaiting: boolean;
  /** The variables that have the other's address. */
  readonly variables: readonly string[];
};

/** Where a service is: its column from the left, and its place in it from the top. */
export type GraphPlace = { readonly id: string; readonly column: number; readonly row: number };

export type GraphPicture = {
  readonly places: readonly GraphPlace[];
  readonly lines: readonly GraphLine[];
  readonly columns: number;
  /** Of the column that has the most. */
  readonly rows: number;
};

/** Places each service to the left of the services that it refers to, except for lines that close a cycle. */
export function pictureOf({ nodes, edges }: EnvironmentGraph): GraphPicture {
  const lines = linesOf(edges);
  const isNamed = lines.some(({ from }) => from === ENVIRONMENT);
  const ids = [...(isNamed ? [ENVIRONMENT] : []), ...nodes.map(({ id }) => id)];
  const columnOf = columnsOf(ids, lines);
  const filled: number[] = [];
  const places = ids.map((id): GraphPlace => {
    const column = columnOf.get(id) ?? 0;
    const row = filled[column] ?? 0;
    filled[column] = row + 1;
    return { id, column, row };
  });
  return { places, lines, columns: filled.length, rows: Math.max(0, ...filled) };
}

function linesOf(edges: readonly GraphEdge[]): readonly GraphLine[] {
  const pairs = Map.groupBy(
    edges,
    ({ fromServiceId, toServiceId }) => `${fromServiceId ?? ENVIRONMENT} ${toServiceId}`,
  );
  return [...pairs.values()].flatMap((pair): readonly GraphLine[] => {
    const [first] = pair;
    if (first === undefined) return [];
    return [
      {
        from: first.fromServiceId ?? ENVIRONMENT,
        to: first.toServiceId,
        isWaiting: pair.some(({ kind }) => kind === "DEPENDS_ON"),
        variables: pair.flatMap(({ variable }) => (variable === null ? [] : [variable])),
      },
    ];
  });
}

/** The column of each service: the length of the longest path to it. A line that closes a cycle does not count. */
function columnsOf(ids: readonly string[], lines: readonly GraphLine[]): ReadonlyMap<string, number> {
  const next = Map.groupBy(lines, ({ from }) => from);
  const state = new Map<string, "open" | "done">();
  /** The ids, each after all the ids that it refers to. */
  const order: string[] = [];
  const counted: GraphLine[] = [];
  const visit = (id: string): void => {
    state.set(id, "open");
    for (const line of next.get(id) ?? []) {
      if (state.get(line.to) === "open") continue;
      counted.push(line);
      if (!state.has(line.to)) visit(line.to);
    }
    state.set(id, "done");
    order.push(id);
  };
  for (const id of ids) if (!state.has(id)) visit(id);
  const columns = new Map(ids.map((id) => [id, 0]));
  const countedOf = Map.groupBy(counted, ({ from }) => from);
  for (const id of order.toReversed())
    for (const { to } of countedOf.get(id) ?? [])
      columns.set(to, Math.max(columns.get(to) ?? 0, (columns.get(id) ?? 0) + 1));
  return columns;
}

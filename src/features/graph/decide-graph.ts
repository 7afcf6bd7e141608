import type { Service } from "../projects/project.ts";

/** A variable that takes its value from a service. */
export type Link = {
  /** Null for a variable of the environment, which all its services get. */
  readonly serviceId: string | null;
  readonly name: string;
  readonly source: "api" | "config";
  readonly linkedServiceId: string;
  readonly property: string;
};

/** Why a service refers to another: its release waits for it, or a variable has its address. */
export const EDGE_KINDS = ["DEPENDS_ON", "VARIABLE"] as const;

/** A reference of a service to another. */
export type Edge = {
  readonly kind: (typeof EDGE_KINDS)[number];
  /** Null for a variable of the environment, which all its services get. */
  readonly fromServiceId: string | null;
  readonly toServiceId: string;
  /** With `VARIABLE`: its name, and what it takes of the service. */
  readonly variable: string | null;
  readonly property: string | null;
};

/** The references between the services of one environment. Of two variables of a name, the one set by the API counts. Pure. */
export function decideEdges(services: readonly Service[], links: readonly Link[]): readonly Edge[] {
  const idOf = new Map(services.map(({ configId, id }) => [configId, id]));
  const ids = new Set(services.map(({ id }) => id));
  const waits = services.flatMap(({ id, settings }) =>
    settings.dependsOn.flatMap((configId): readonly Edge[] => {
      const toServiceId = idOf.get(configId);
      if (toServiceId === undefined) return [];
      return [{ kind: "DEPENDS_ON", fromServiceId: id, toServiceId, variable: null, property: null }];
    }),
  );
  const counted = new Map<string, Link>();
  for (const link of links) {
    const key = `${link.serviceId ?? ""} ${link.name}`;
    if (link.source === "api" || !counted.has(key)) counted.set(key, link);
  }
  const linked = [...counted.values()].flatMap((link): readonly Edge[] => {
    const { serviceId: fromServiceId, linkedServiceId: toServiceId, name: variable, property } = link;
    if (!ids.has(toServiceId)) return [];
    return [{ kind: "VARIABLE", fromServiceId, toServiceId, variable, property }];
  });
  return [...waits, ...linked];
}

/** Data stores of an environment, which stay where they are, and the variables that need them. Pure. */
import { isObject } from "../../lib/json/is-object.ts";
import { IMPORTED_TYPES } from "./decide-service.ts";
import type { Target, Variables } from "./decide-variables.ts";
import { blocking, missing, type Verdict } from "./flightcontrol-import.ts";
import type { WrittenEnvironment, WrittenService } from "./read-flightcontrol-file.ts";

/** Data stores: the value of their connection string. */
export const STORES: ReadonlyMap<string, string | null> = new Map([
  ["rds", "dbConnectionString"],
  ["elasticache", "connectionString"],
  ["s3", null],
]);

export type References = ReadonlyMap<string, readonly string[]>;

export function storeOf(environment: WrittenEnvironment, { id }: WrittenService): Target {
  return { kind: "store", secretOf: (value) => secretName(environment.id, id, value) };
}

function secretName(...parts: readonly string[]): string {
  return ["flightcontrol", ...parts]
    .map((part) => part.replaceAll(/[^a-zA-Z0-9_+=.@-]+/g, "-").slice(0, 120))
    .join("/");
}

export function judgeStore(names: readonly string[]): Verdict {
  const reason = "Slipway does not manage data stores yet. The existing one stays as it is.";
  return names.length === 0
    ? missing(reason, "Keep it. Nothing in the file refers to it.")
    : blocking(
        reason,
        `Keep it, let Slipway's services reach it (they have a network of their own), and store what ${names.join(", ")} must be in Secrets Manager, under the names in the proposal.`,
      );
}

/** The names of variables that need a service which is not imported, by its id. */
export function findReferences(environment: WrittenEnvironment, common: unknown): References {
  const found = new Map<string, Set<string>>();
  const add = (id: string, name: string): void => void found.set(id, (found.get(id) ?? new Set()).add(name));
  const scopes = [
    common,
    environment.raw["envVariables"],
    ...environment.services
      .filter(({ type }) => IMPORTED_TYPES.has(type))
      .map(({ raw }) => raw["envVariables"]),
  ];
  for (const variables of scopes)
    for (const [name, value] of isObject(variables) ? Object.entries(variables) : []) {
      const link = isObject(value) ? value["fromService"] : undefined;
      if (isObject(link) && typeof link["id"] === "string") add(link["id"], name);
    }
  for (const { service, name } of findInjected(environment, common)) add(service.id, name);
  return new Map([...found].map(([id, names]) => [id, [...names]]));
}

/** Connection strings that Flightcontrol sets in all services of an environment, unless all of them set it. */
function findInjected({ raw, services }: WrittenEnvironment, common: unknown) {
  const has = (variables: unknown, name: string): boolean =>
    isObject(variables) && Object.hasOwn(variables, name);
  return services.flatMap((service) => {
    const name = service.raw["connectionStringEnvVarName"];
    if (!STORES.has(service.type) || typeof name !== "string" || !/^[A-Za-z_]\w{0,254}$/.test(name))
      return [];
    const isSet =
      has(raw["envVariables"], name) ||
      has(common, name) ||
      services.every(({ type, raw: of }) => !IMPORTED_TYPES.has(type) || has(of["envVariables"], name));
    return isSet ? [] : [{ service, name }];
  });
}

/** Those connection strings, read from secrets that the user makes. */
export function findConnectionStrings(environment: WrittenEnvironment, common: unknown): Variables {
  return Object.fromEntries(
    findInjected(environment, common)
      .toReversed()
      .map(({ service, name }) => [
        name,
        {
          fromSecretsManager: secretName(
            environment.id,
            service.id,
            STORES.get(service.type) ?? "connectionString",
          ),
        },
      ]),
  );
}

/** Data stores of an environment, which stay where they are, and the variables that need them. Pure. */
import type { StoreType } from "../../cloud/data-stores.ts";
import { isObject } from "../../lib/json/is-object.ts";
import { propertiesOf } from "../projects/project.ts";
import { importedTypeOf } from "./decide-service.ts";
import { type StoreTarget, type Variables, variableOf } from "./decide-variables.ts";
import { changed, type ImportCloud, missing, type Verdict } from "./flightcontrol-import.ts";
import type { WrittenEnvironment, WrittenService } from "./read-flightcontrol-file.ts";
import { nameOf } from "./service-rules.ts";

const STORES: ReadonlySet<string> = new Set(["rds", "elasticache", "s3"]);

/** Whether it is a type of data stores. */
export function isStoreType(type: string): boolean {
  return STORES.has(type);
}

/** What variables need of a service, by its id. */
export type References = ReadonlyMap<string, readonly Needed[]>;
type Needed = { readonly name: string; readonly value: string };

/** @param id its id in the proposal, which no other store of the environment has */
export function storeOf(environmentId: string, service: WrittenService, id: string): StoreTarget {
  const secretOf = (value: string) => secretName(environmentId, id, value);
  return { kind: "store", id, type: typeOf(service), secretOf };
}

function typeOf({ type, raw }: WrittenService): StoreType {
  if (type === "elasticache") return "redis";
  if (type === "s3") return "bucket";
  return /mysql|maria/i.test(String(raw["engine"])) ? "mysql" : "postgres";
}

function secretName(...parts: readonly string[]): string {
  return ["flightcontrol", ...parts]
    .map((part) => part.replaceAll(/[^a-zA-Z0-9_+=.@-]+/g, "-").slice(0, 120))
    .join("/");
}

/** The service that adopts it, with the values that variables need: secrets that the user makes. */
export function proposeStore(
  { raw }: WrittenService,
  { id, type, secretOf }: StoreTarget,
  needed: readonly Needed[],
): Readonly<Record<string, unknown>> {
  const name = nameOf(raw["name"]);
  const values = propertiesOf(type).filter((property) => needed.some(({ value }) => value === property));
  const existing = values.map((value) => [value, { fromSecretsManager: secretOf(value) }]);
  return { id, ...(name === undefined ? {} : { name }), type, existing: Object.fromEntries(existing) };
}

export function judgeStore(
  environment: string,
  needed: readonly Needed[],
  { secretOf, type }: StoreTarget,
  { readsOtherSecrets, createsStores }: ImportCloud,
): Verdict {
  if (needed.length === 0)
    return missing(
      "It is left out, because nothing in the file refers to it. The existing one stays as it is.",
    );
  const secrets = [...new Set(needed.map(({ value }) => secretOf(value)))].join(", ");
  const reason = "The existing one is adopted, and stays as it is: Slipway never changes or deletes it.";
  if (!readsOtherSecrets)
    return changed(
      reason,
      [
        `Once the project is created: store its values with slipway env set NAME --store secrets-manager -e ${environment} --from-file FILE --wait, and write the references that slipway env list -e ${environment} then shows in place of ${secrets}.`,
        ...(createsStores.includes(type)
          ? ["To begin with an empty one instead, remove its field existing before you create the project."]
          : []),
      ].join(" "),
    );
  return changed(
    reason,
    `Before the first deployment: store its values in Secrets Manager, in the environment's region and with the tag slipway:readable = true (${secrets}), and let Slipway's services reach it: they have a network of their own.`,
  );
}

/** What variables need of services that are not built, by the ids of the services. */
export function findReferences(environment: WrittenEnvironment, common: unknown): References {
  const found = new Map<string, Needed[]>();
  const add = (id: string, name: string, value: string): void => {
    const known = found.get(id) ?? [];
    if (!known.some((one) => one.name === name && one.value === value)) known.push({ name, value });
    found.set(id, known);
  };
  const scopes = [
    common,
    environment.raw["envVariables"],
    ...environment.services
      .filter((service) => importedTypeOf(service) !== null)
      .map(({ raw }) => raw["envVariables"]),
  ];
  for (const variables of scopes)
    for (const [name, written] of isObject(variables) ? Object.entries(variables) : []) {
      const { id, value } = linkIn(written);
      if (typeof id === "string") add(id, name, String(value));
    }
  for (const { service, name, value } of findInjected(environment, common)) add(service.id, name, value);
  return found;
}

function linkIn(written: unknown): { readonly id?: unknown; readonly value?: unknown } {
  const link = isObject(written) ? written["fromService"] : undefined;
  return isObject(link) ? link : {};
}

/** Connection strings that Flightcontrol sets in all services of an environment, unless all of them set it. */
function findInjected({ raw, services }: WrittenEnvironment, common: unknown) {
  const has = (variables: unknown, name: string): boolean =>
    isObject(variables) && Object.hasOwn(variables, name);
  return services.flatMap((service) => {
    const name = service.raw["connectionStringEnvVarName"];
    if (!isStoreType(service.type) || typeof name !== "string" || !/^[A-Za-z_]\w{0,254}$/.test(name))
      return [];
    const isSet =
      has(raw["envVariables"], name) ||
      has(common, name) ||
      services.every((one) => importedTypeOf(one) === null || has(one.raw["envVariables"], name));
    const value = service.type === "rds" ? "dbConnectionString" : "connectionString";
    return isSet ? [] : [{ service, name, value }];
  });
}

/** Those connection strings. @param targetOf by the id in the file */
export function findConnectionStrings(
  environment: WrittenEnvironment,
  common: unknown,
  targetOf: (id: string) => StoreTarget | null,
): Variables {
  return Object.fromEntries(
    findInjected(environment, common)
      .toReversed()
      .flatMap(({ service, name, value }) => {
        const target = targetOf(service.id);
        return target === null ? [] : [[name, variableOf(target, value)]];
      }),
  );
}

/**
 * The name of an operation in generated clients, from method and path: `GET /v1/users` is `listUsers`,
 * `GET /v1/users/:userId` is `getUser`, `POST /v1/aws-accounts/:awsAccountId/check` is `checkAwsAccount`.
 */
export function operationIdOf(method: string, path: string): string {
  const { segments, isOne } = readPath(path);
  const nouns = segments.filter((segment) => !segment.startsWith(":"));
  // Every noun but the last names a single thing, by its id.
  const owners = nouns.slice(0, -1).map(singular);
  const noun = nouns.at(-1) ?? "";
  if (method === "POST" && isOne) return camelCase([noun, ...owners]);
  if (method === "POST") return camelCase(["create", ...owners, singular(noun)]);
  if (method === "GET") return camelCase([isOne ? "get" : "list", ...owners, isOne ? singular(noun) : noun]);
  return camelCase([method === "PATCH" ? "update" : method.toLowerCase(), ...owners, singular(noun)]);
}

/** Nouns of paths that are resources of the SDK also below another one, and what they are called there. */
const RESOURCES: Readonly<Record<string, string>> = {
  "domain-certificate-groups": "domainGroups",
  "env-variables": "variables",
  environments: "environments",
  services: "services",
};

/**
 * The method of the SDK, from method and path: `GET /v1/users` is `users.list`, `GET /v1/domains/:domainId` is
 * `domains.get`, `POST /v1/domains/:domainId/check` is `domains.check`.
 */
export function sdkNameOf(method: string, path: string): string {
  const { segments, isOne } = readPath(path);
  const found = segments.findLastIndex((segment) => segment in RESOURCES);
  const [noun = "", ...after] = segments.slice(Math.max(0, found));
  const words = after.filter((segment) => !segment.startsWith(":"));
  return `${RESOURCES[noun] ?? camelCase([noun])}.${methodName(method, words, isOne)}`;
}

/** @param words the nouns after the resource's own */
function methodName(method: string, words: readonly string[], isOne: boolean): string {
  const last = words.at(-1) ?? "";
  if (method === "POST" && isOne && last !== "") return camelCase([last]);
  const owners = words.slice(0, -1).map(singular);
  const thing = method === "GET" && !isOne ? last : singular(last);
  return camelCase([VERBS[method]?.[isOne ? "one" : "all"] ?? method.toLowerCase(), ...owners, thing]);
}

const VERBS: Readonly<Record<string, { readonly one: string; readonly all: string }>> = {
  GET: { one: "get", all: "list" },
  POST: { one: "create", all: "create" },
  PATCH: { one: "update", all: "update" },
  PUT: { one: "replace", all: "replace" },
  DELETE: { one: "delete", all: "deleteAll" },
};

/** The parts of a path below `/v1`, and whether it names a single thing: by its id, or by a noun in the singular. */
function readPath(path: string): { readonly segments: readonly string[]; readonly isOne: boolean } {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "v1");
  const last = segments.at(-1) ?? "";
  return { segments, isOne: last.startsWith(":") || !isPlural(last) };
}

/** The logs of a thing are read as one. */
function isPlural(word: string): boolean {
  return word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us") && word !== "logs";
}

function singular(word: string): string {
  if (!isPlural(word)) return word;
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

function camelCase(words: readonly string[]): string {
  const [first = "", ...rest] = words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== "");
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** The name of an event's webhook: `onDomainAttached` for `domain.attached`. */
export function operationIdOfEvent(type: string): string {
  const words = type.split(/[._]/);
  return `on${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
}

/**
 * The name of an operation in generated clients, from method and path: `GET /v1/users` is `listUsers`,
 * `GET /v1/users/:userId` is `getUser`, `POST /v1/aws-accounts/:awsAccountId/check` is `checkAwsAccount`.
 */
export function operationIdOf(method: string, path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "v1");
  const nouns = segments.filter((segment) => !segment.startsWith(":"));
  const last = segments.at(-1) ?? "";
  const isOne = last.startsWith(":") || !isPlural(last);
  // Every noun but the last names a single thing, by its id.
  const owners = nouns.slice(0, -1).map(singular);
  const noun = nouns.at(-1) ?? "";
  if (method === "POST" && isOne) return camelCase([noun, ...owners]);
  if (method === "POST") return camelCase(["create", ...owners, singular(noun)]);
  if (method === "GET") return camelCase([isOne ? "get" : "list", ...owners, isOne ? singular(noun) : noun]);
  return camelCase([method === "PATCH" ? "update" : method.toLowerCase(), ...owners, singular(noun)]);
}

function isPlural(word: string): boolean {
  return word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us");
}

function singular(word: string): string {
  if (!isPlural(word)) return word;
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.slice(0, -1);
}

function camelCase(words: readonly string[]): string {
  const [first = "", ...rest] = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/));
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

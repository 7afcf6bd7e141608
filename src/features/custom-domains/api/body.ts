import { Type } from "typebox";
import type { Fault } from "../../../lib/errors.ts";
import { readDomainNames } from "../names/read-names.ts";

const NAMES_MAX = 100;
/** The names that a request asks for. */
export const NAMES = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: NAMES_MAX,
  description: "Domain names, such as `www.example.com`, `example.com` or `*.example.com`.",
  examples: [["www.example.com"]],
});

/** The faults of the names in `domains`. The schema refuses values that are not strings. */
export function findNameFaults(body: unknown): readonly Fault[] {
  const sent: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "domains") : undefined;
  return Array.isArray(sent) ? readDomainNames(sent.slice(0, NAMES_MAX)).faults : [];
}

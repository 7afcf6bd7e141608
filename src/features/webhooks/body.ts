/** The fields of a webhook endpoint in a request, and what a schema cannot check of them. */
import { LINES } from "../../lib/shown-text.ts";
import { Type } from "typebox";
import { Body, Defaulted, Id, Nullable } from "../../http/schemas.ts";
import { COMMON_FAULTS, type DeclaredFault, type Fault } from "../../lib/errors.ts";
import { EVENT_FAULTS } from "../events/errors.ts";
import type { EventCatalogue } from "../events/event-catalogue.ts";
import { WEBHOOK_FAULTS } from "./errors.ts";
import { HEADERS_MAX, URL_LENGTH_MAX } from "./webhook-endpoint.ts";

const TYPES = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    "The event types that the endpoint receives: `domain.*` for all types of a subject, `*` for all events.",
  examples: [["domain.*", "deployment.failed"]],
});

const FIELDS = {
  url: Type.String({
    minLength: 1,
    maxLength: URL_LENGTH_MAX,
    description:
      "Where the events are sent: https://, without user name and password, at public addresses. Redirects are not followed.",
    examples: ["https://hooks.acme.example/slipway"],
  }),
  types: TYPES,
  description: Type.String({
    pattern: LINES,
    maxLength: 500,
    description: "Display name.",
    examples: ["Chat of the team"],
  }),
  projectId: Nullable(Id("proj", "Only events of this project.")),
  environmentId: Nullable(Id("env", "Only events of this environment.")),
  maxPerSecond: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "The maximum number of deliveries per second; null for no limit.",
      examples: [20],
    }),
  ),
  headers: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 2_000 }), {
    maxProperties: HEADERS_MAX,
    description:
      "Additional headers, such as `Authorization`. Their values are stored encrypted and never shown. In a change, they replace all earlier ones.",
    examples: [{ authorization: "Bearer of-the-receiver" }],
  }),
};

const OPTIONAL_FIELDS = {
  projectId: Type.Optional(FIELDS.projectId),
  environmentId: Type.Optional(FIELDS.environmentId),
  maxPerSecond: Type.Optional(FIELDS.maxPerSecond),
  headers: Type.Optional(FIELDS.headers),
};

export const CREATE_BODY = Body({
  url: FIELDS.url,
  types: FIELDS.types,
  description: Defaulted({ ...FIELDS.description, default: "" }),
  ...OPTIONAL_FIELDS,
});

export const UPDATE_BODY = Body({
  url: Type.Optional(FIELDS.url),
  types: Type.Optional(FIELDS.types),
  description: Type.Optional(FIELDS.description),
  ...OPTIONAL_FIELDS,
});

/** Headers that belong to HTTP, to the body, or to the webhook. */
const REFUSED_HEADER =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|host|content-.*|accept-encoding|webhook-.*|slipway-.*)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII with spaces and tabs inside (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** @param allowsLoopback whether http:// to this machine is allowed */
export function findEndpointFaults(
  body: unknown,
  catalogue: EventCatalogue,
  allowsLoopback: boolean,
): readonly Fault[] {
  if (typeof body !== "object" || body === null) return [];
  const { url, types, headers } = body as { url?: unknown; types?: unknown; headers?: unknown };
  return [
    ...findUrlFaults(url, allowsLoopback),
    ...findTypeFaults(types, catalogue),
    ...findHeaderFaults(headers),
  ];
}

/** What a schema cannot check of an address that a user names. */
export function findUrlFaults(url: unknown, allowsLoopback: boolean): readonly Fault[] {
  if (typeof url !== "string" || url === "") return [];
  const fault = ({ code }: DeclaredFault, message: string) => [{ path: "/url", code, message }];
  if (!URL.canParse(url))
    return fault(COMMON_FAULTS.WRONG_FORM, "must be a URL such as https://hooks.example.com/");
  const { protocol, hostname, username, password } = new URL(url);
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && allowsLoopback && isLocal))
    return fault(WEBHOOK_FAULTS.URL_NOT_HTTPS, "must begin with https://");
  if (username !== "" || password !== "")
    return fault(
      WEBHOOK_FAULTS.URL_WITH_CREDENTIALS,
      "must not contain a user name or password; use headers",
    );
  return [];
}

/** Each type that is unknown, with the nearest that there is. */
export function findTypeFaults(types: unknown, catalogue: EventCatalogue): readonly Fault[] {
  if (!Array.isArray(types)) return [];
  return types.flatMap((type: unknown, index) => {
    if (typeof type !== "string" || type === "") return [];
    const { unknown } = catalogue.expand([type]);
    if (unknown === undefined) return [];
    const message = `is not a type of events${unknown.nearest === null ? "" : `; the nearest is ${unknown.nearest}`}`;
    return [{ path: `/types/${index}`, code: EVENT_FAULTS.UNKNOWN_EVENT_TYPE.code, message }];
  });
}

function findHeaderFaults(headers: unknown): readonly Fault[] {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) return [];
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isTwice = names.has(name.toLowerCase());
    names.add(name.toLowerCase());
    if (isTwice) return [{ path, code: COMMON_FAULTS.DUPLICATE.code, message: "appears twice" }];
    const { code } = WEBHOOK_FAULTS.HEADER_NOT_ALLOWED;
    if (!HEADER_NAME.test(name)) return [{ path, code, message: "is not a valid name of an HTTP header" }];
    if (REFUSED_HEADER.test(name))
      return [{ path, code, message: "belongs to HTTP or to the webhook itself, and cannot be set" }];
    if (typeof value === "string" && value !== "" && !HEADER_VALUE.test(value))
      return [{ path, code, message: "must be visible ASCII characters, with spaces only inside" }];
    return [];
  });
}

export const ROTATE_BODY = Body({
  overlapHours: Defaulted(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 24,
      description:
        "The number of hours for which the previous secret also signs. With 0, for example after a leak, it ends now.",
      examples: [24],
    }),
  ),
  force: Defaulted(
    Type.Boolean({
      default: false,
      description: "Rotates even if the previous secret is still valid, and ends that secret now.",
    }),
  ),
});

const instant = (description: string, example: string) =>
  Type.Optional(Type.String({ format: "date-time", description, examples: [example] }));

export const REPLAY_BODY = Body({
  from: instant(
    "Only events at this time or later; by default, from the oldest event that is kept.",
    "2026-11-20T09:00:00.000Z",
  ),
  until: instant(
    "Only events before this time; by default, all that the endpoint was sent.",
    "2026-11-20T10:00:00.000Z",
  ),
  types: Type.Optional(TYPES),
  only: Defaulted(
    Type.Unsafe<"failed" | "all">({
      type: "string",
      enum: ["failed", "all"],
      title: "ReplayedDeliveries",
      default: "failed",
      description: "`failed`: events whose delivery has failed. `all`: all that match the endpoint's filter.",
      examples: ["failed"],
    }),
  ),
});

/** What the schema cannot check of a replay. */
export function findReplayFaults(body: unknown, catalogue: EventCatalogue): readonly Fault[] {
  if (typeof body !== "object" || body === null) return [];
  const { types, from, until } = body as { types?: unknown; from?: unknown; until?: unknown };
  const faults = [...findTypeFaults(types, catalogue)];
  if (typeof from === "string" && typeof until === "string" && Date.parse(from) >= Date.parse(until)) {
    const { code } = WEBHOOK_FAULTS.TIMES_REVERSED;
    faults.push({ path: "/until", code, message: "must be later than from" });
  }
  return faults;
}

export const ENABLE_BODY = Body({
  from: Defaulted(
    Type.Unsafe<"cursor" | "now">({
      type: "string",
      enum: ["cursor", "now"],
      title: "EnabledFrom",
      default: "cursor",
      description:
        "`cursor`: continues after the last event that it was sent, as far as events are kept. `now`: skips the events that happened meanwhile.",
      examples: ["cursor"],
    }),
  ),
});

/**
 * The code that runs for each request to the distribution that previews share. It asks for the gate's pass, and chooses
 * the origin by the first label of the host name. Pure. CloudFront's own names: `cloudfront-js-2.0`.
 * Why: docs/decisions/0048-names-of-previews-on-aws.md
 */
import { createHash } from "node:crypto";
import type { PreviewAccess } from "../../preview-access.ts";
import { accessKeyOf } from "../../preview-access.ts";
import { GATE_CALL, GATE_LINES, ROBOTS_LINES } from "./gate-function.ts";
import { SERVICE_HEADER } from "./service-origin.ts";
import { APP_LINES, functionPrefixOf, INDEX_LINES } from "./viewer-functions.ts";

/** What answers at a label. `app`: the files of a single-page app; `nothing`: a service without a release. */
export type Answer =
  | { readonly kind: "nothing" | "web" | "files" | "app"; readonly serviceId: string }
  /** A host elsewhere. */
  | { readonly kind: "host" };

/** By label. */
export type Answers = Readonly<Record<string, Answer>>;

export type PreviewFunction = { readonly access: PreviewAccess | null; readonly answers: Answers };

const LETTERS = { nothing: "n", web: "w", files: "f", app: "a", host: "h" } as const;

export function hostOriginIdOf(label: string): string {
  return `slipway-host-${label}`;
}

export function writePreviewFunction({ access, answers }: PreviewFunction): string {
  const gate = access?.gate ?? null;
  return `import cf from "cloudfront";
var access = ${JSON.stringify(access)};
var answers = ${JSON.stringify(pack(answers))};
${gate === null ? "" : GATE_LINES}${ANSWER_LINES}function handler(event) {
${ROBOTS_LINES}  var request = event.request;
  var host = request.headers.host ? request.headers.host.value.toLowerCase() : "";
${gate === null ? "" : GATE_CALL}${ROUTE_LINES}}
`;
}

const ANSWER_LINES = `function say(status, words, text) {
  return {
    statusCode: status,
    statusDescription: words,
    headers: {
      "content-type": { value: "text/plain; charset=utf-8" },
      "cache-control": { value: "no-store" },
      "x-robots-tag": { value: "noindex" },
    },
    body: text + "\\n",
  };
}
`;

/** S3 gets the path only: a query could ask it for more than a file. */
const ROUTE_LINES = `  var label = host.split(".")[0];
  var answer = Object.prototype.hasOwnProperty.call(answers, label) ? answers[label] : "";
  if (answer === "")
    return say(404, "Not Found", "There is no preview at this address. It may have been deleted: see the pull request, or the list of previews.");
  var kind = answer.charAt(0);
  var origin = kind === "${LETTERS.host}" ? "${hostOriginIdOf("")}" + label : "slipway-" + answer.slice(1);
  if (kind === "${LETTERS.nothing}")
    return say(503, "Service Unavailable", "Nothing has been released here yet. Come back after the first deployment.");
  delete request.headers["${SERVICE_HEADER}"];
  if (kind === "${LETTERS.web}") {
    cf.selectRequestOriginById(origin, { hostHeader: host.split(":")[0] });
    return request;
  }
  cf.selectRequestOriginById(origin);
  if (kind === "${LETTERS.host}") return request;
  for (var name in request.querystring) delete request.querystring[name];
  for (var cookie in request.cookies) delete request.cookies[cookie];
  if (kind === "${LETTERS.app}") {
${indent(APP_LINES)}  } else {
${indent(INDEX_LINES)}  }
  return request;
`;

/** Reads what `writePreviewFunction` wrote. @throws Error for other code */
export function readPreviewFunction(code: string): PreviewFunction {
  const found = /^import cf from "cloudfront";\nvar access = (.*);\nvar answers = (.*);\n/.exec(code);
  if (found === null) throw new Error("The function has no answers of Slipway.");
  const [, access = "null", answers = "{}"] = found;
  return { access: JSON.parse(access), answers: unpack(JSON.parse(answers)) };
}

function pack(answers: Answers): Readonly<Record<string, string>> {
  const entries = Object.entries(answers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([label, answer]) => [
      label,
      `${LETTERS[answer.kind]}${"serviceId" in answer ? answer.serviceId : ""}`,
    ]),
  );
}

function unpack(packed: Readonly<Record<string, string>>): Answers {
  return Object.fromEntries(
    Object.entries(packed).map(([label, text]): [string, Answer] => [label, answerIn(text)]),
  );
}

function answerIn(text: string): Answer {
  const serviceId = text.slice(1);
  switch (text.charAt(0)) {
    case LETTERS.host:
      return { kind: "host" };
    case LETTERS.web:
      return { kind: "web", serviceId };
    case LETTERS.files:
      return { kind: "files", serviceId };
    case LETTERS.app:
      return { kind: "app", serviceId };
    default:
      return { kind: "nothing", serviceId };
  }
}

function indent(lines: string): string {
  return lines.replaceAll(/^(?=.)/gm, "  ");
}

const NO_KEY = "-";
const ROUTES_KEY_LENGTH = 22;
const ACCESS_KEY_LENGTH = 11;
const CODE_KEY_LENGTH = 6;
const NAME = new RegExp(
  `^p(?<routes>[\\w-]{${ROUTES_KEY_LENGTH}})(?<access>[\\w-]{${ACCESS_KEY_LENGTH}})[\\w-]{${CODE_KEY_LENGTH}}$`,
);

/** The same for the same code, and different for another: it has the keys of both, and one of what answers. */
export function previewFunctionNameOf(
  distributionId: string,
  routesKey: string | null,
  wanted: PreviewFunction,
): string {
  const routes =
    routesKey === null
      ? NO_KEY.repeat(ROUTES_KEY_LENGTH)
      : Buffer.from(routesKey, "hex").toString("base64url");
  const access = wanted.access === null ? NO_KEY.repeat(ACCESS_KEY_LENGTH) : accessKeyOf(wanted.access);
  const code = createHash("sha256").update(writePreviewFunction(wanted)).digest("base64url");
  return `${functionPrefixOf(distributionId)}p${routes}${access}${code.slice(0, CODE_KEY_LENGTH)}`;
}

/** Which routes and access a function has, by the end of its name; null if it is not of previews. */
export function previewKeysIn(
  end: string,
): { readonly routes: string | null; readonly access: string | null } | null {
  const { routes = "", access = "" } = NAME.exec(end)?.groups ?? {};
  if (routes === "") return null;
  return {
    routes:
      routes === NO_KEY.repeat(ROUTES_KEY_LENGTH) ? null : Buffer.from(routes, "base64url").toString("hex"),
    access: access === NO_KEY.repeat(ACCESS_KEY_LENGTH) ? null : access,
  };
}

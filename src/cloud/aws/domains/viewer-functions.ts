/**
 * The code that runs at CloudFront's edges for each request of a visitor. A distribution has one such function at most,
 * so that of its redirects and of a preview's access also does what a static site needs. Pure.
 */
import { accessKeyOf, type PreviewAccess } from "../../preview-access.ts";
import { type Redirects, redirectsKeyOf, writeRedirects } from "../../redirects.ts";
import { GATE_CALL, GATE_LINES, ROBOTS_LINES } from "./gate-function.ts";

export const INDEX_LINES = `  var last = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  if (last === "") request.uri += "index.html";
  else if (last.indexOf(".") < 0 && request.uri.indexOf("/.well-known/") !== 0) request.uri += ".html";
`;

export const APP_LINES = `  var last = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  if (last.indexOf(".") < 0 && request.uri.indexOf("/.well-known/") !== 0) request.uri = "/index.html";
`;

/** S3 only knows files, but a site's addresses can be folders, or pages of a single-page app. */
export function writeIndexFunction(isApp: boolean): string {
  return `function handler(event) {
  var request = event.request;
${isApp ? APP_LINES : INDEX_LINES}  return request;
}
`;
}

export type ViewerFunction = {
  readonly redirects: Redirects;
  /** Null except for a preview. */
  readonly access: PreviewAccess | null;
  /** The function of the static site that this one stands in for; null if the distribution serves none. */
  readonly indexArn: string | null;
  /** Whether that site is a single-page app. */
  readonly isApp: boolean;
};

/** `rawQueryString` is the query as it came, undefined without one; the path comes as it is. */
export function writeViewerFunction({ redirects, access, indexArn, isApp }: ViewerFunction): string {
  const gate = access?.gate ?? null;
  return `var redirects = ${writeRedirects(redirects)};
var indexArn = ${JSON.stringify(indexArn)};
${isApp ? "var isApp = true;\n" : ""}${access === null ? "" : `var access = ${JSON.stringify(access)};\n`}${gate === null ? "" : GATE_LINES}function handler(event) {
${access === null ? "" : ROBOTS_LINES}  var request = event.request;
  var host = request.headers.host ? request.headers.host.value.toLowerCase() : "";
${gate === null ? "" : GATE_CALL}  if (Object.prototype.hasOwnProperty.call(redirects, host)) {
    var query = request.rawQueryString();
    var location = "https://" + redirects[host] + request.uri + (query === undefined ? "" : "?" + query);
    return {
      statusCode: 308,
      statusDescription: "Permanent Redirect",
      headers: { location: { value: location }, "cache-control": { value: "no-store" }${access === null ? "" : ROBOTS_HEADER} },
    };
  }
${indexArn === null ? "" : isApp ? APP_LINES : INDEX_LINES}  return request;
}
`;
}

const ROBOTS_HEADER = `, "x-robots-tag": { value: "noindex" }`;

/** Reads what `writeViewerFunction` wrote. @throws Error for other code */
export function readViewerFunction(code: string): ViewerFunction {
  const found =
    /^var redirects = (.*);\nvar indexArn = (.*);\n(?:var isApp = (true);\n)?(?:var access = (.*);\n)?/.exec(
      code,
    );
  if (found === null) throw new Error("The function has no redirects of Slipway.");
  const [, redirects = "", indexArn = "", isApp, access = "null"] = found;
  return {
    redirects: JSON.parse(redirects),
    indexArn: JSON.parse(indexArn),
    isApp: isApp !== undefined,
    access: JSON.parse(access),
  };
}

/** With this all names of a distribution's functions begin. */
export function functionPrefixOf(distributionId: string): string {
  return `slipway-${distributionId}-`;
}

/**
 * The same for the same code, so that a repeated creation finds it. At most 64 characters, so with an access the key of
 * redirects is shorter.
 */
export function functionNameOf(
  distributionId: string,
  { redirects, access, indexArn, isApp }: ViewerFunction,
): string {
  const key = redirectsKeyOf(redirects);
  const redirectsPart = key === null || access === null ? (key ?? "none") : shorten(key);
  const accessPart = access === null ? "" : `-a${accessKeyOf(access)}`;
  return `${functionPrefixOf(distributionId)}${redirectsPart}${accessPart}${indexArn === null ? "" : isApp ? "-s" : "-f"}`;
}

const shorten = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
const KEYS = /^(?:(?<hex>[0-9a-f]{32})|none|(?<short>[\w-]{22}))(?:-a(?<access>[\w-]{11}))?(?:-[fs])?$/;

/** Which redirects and access a function has, by its name; null if it is none of this distribution's. */
export function keysIn(
  distributionId: string,
  functionArn: string | null,
): { readonly redirects: string | null; readonly access: string | null } | null {
  const name = functionArn === null ? "" : nameIn(functionArn);
  const prefix = functionPrefixOf(distributionId);
  const found = name.startsWith(prefix) ? KEYS.exec(name.slice(prefix.length)) : null;
  if (found === null) return null;
  const { hex, short, access = null } = found.groups ?? {};
  const long = short === undefined ? null : Buffer.from(short, "base64url").toString("hex");
  return { redirects: hex ?? long, access };
}

/** Whether a function is one of a preview's access, which also runs at the answers. */
export function hasAccess(functionArn: string): boolean {
  return /^slipway-[A-Z0-9]+-(?:.*-a[\w-]{11}(?:-[fs])?|p[\w-]{39})$/.test(nameIn(functionArn));
}

export function nameIn(functionArn: string): string {
  return functionArn.slice(functionArn.lastIndexOf("/") + 1);
}

/**
 * The code that runs at CloudFront's edges for each request of a visitor. A distribution has one such function at most,
 * so that of its redirects also does what a static site needs. Pure.
 */
import { type Redirects, redirectsKeyOf, writeRedirects } from "../../redirects.ts";

const INDEX_LINES = `  var last = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  if (last === "") request.uri += "index.html";
  else if (last.indexOf(".") < 0 && request.uri.indexOf("/.well-known/") !== 0) request.uri += ".html";
`;

/** S3 only knows files, but a site's addresses can be folders. */
export const INDEX_FUNCTION = `function handler(event) {
  var request = event.request;
${INDEX_LINES}  return request;
}
`;

export type RedirectFunction = {
  readonly redirects: Redirects;
  /** The function of the static site that this one stands in for; null if the distribution serves none. */
  readonly indexArn: string | null;
};

/** `rawQueryString` is the query as it came, undefined without one; the path comes as it is. */
export function writeRedirectFunction({ redirects, indexArn }: RedirectFunction): string {
  return `var redirects = ${writeRedirects(redirects)};
var indexArn = ${JSON.stringify(indexArn)};
function handler(event) {
  var request = event.request;
  var host = request.headers.host ? request.headers.host.value.toLowerCase() : "";
  if (Object.prototype.hasOwnProperty.call(redirects, host)) {
    var query = request.rawQueryString();
    var location = "https://" + redirects[host] + request.uri + (query === undefined ? "" : "?" + query);
    return {
      statusCode: 308,
      statusDescription: "Permanent Redirect",
      headers: { location: { value: location }, "cache-control": { value: "no-store" } },
    };
  }
${indexArn === null ? "" : INDEX_LINES}  return request;
}
`;
}

/** Reads what `writeRedirectFunction` wrote. @throws Error for other code */
export function readRedirectFunction(code: string): RedirectFunction {
  const found = /^var redirects = (.*);\nvar indexArn = (.*);\n/.exec(code);
  if (found === null) throw new Error("The function has no redirects of Slipway.");
  return { redirects: JSON.parse(found[1] ?? ""), indexArn: JSON.parse(found[2] ?? "") };
}

/** With this all names of a distribution's functions begin. */
export function functionPrefixOf(distributionId: string): string {
  return `slipway-${distributionId}-`;
}

/** The same for the same code, so that a repeated creation finds it. */
export function functionNameOf(distributionId: string, { redirects, indexArn }: RedirectFunction): string {
  const key = redirectsKeyOf(redirects) ?? "none";
  return `${functionPrefixOf(distributionId)}${key}${indexArn === null ? "" : "-f"}`;
}

/** Of which redirects a function is, by its name; null if it is none of this distribution's. */
export function redirectsKeyIn(distributionId: string, functionArn: string | null): string | null {
  const name = functionArn === null ? "" : nameIn(functionArn);
  const prefix = functionPrefixOf(distributionId);
  return name.startsWith(prefix) ? name.slice(prefix.length).replace(/-f$/, "") : null;
}

export function nameIn(functionArn: string): string {
  return functionArn.slice(functionArn.lastIndexOf("/") + 1);
}

/** Runs the function of previews as CloudFront does: a module in strict mode, with the module `cloudfront`. */
import * as crypto from "node:crypto";
import { runInNewContext } from "node:vm";

export type Visit = {
  readonly host: string;
  readonly uri?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
};

type Values = Readonly<Record<string, { readonly value: string }>>;

export type Visited = {
  /** What visitors get; null if an origin answers. */
  readonly answer: {
    readonly statusCode: number;
    readonly headers: Values;
    readonly body?: string;
  } | null;
  /** The origin that was chosen, and what replaces its settings. */
  readonly origin: { readonly id: string; readonly hostHeader: string | null } | null;
  /** What the origin gets. */
  readonly sent: {
    readonly uri: string;
    readonly headers: Values;
    readonly querystring: Values;
    readonly cookies: Values;
  };
};

const IMPORT = 'import cf from "cloudfront";\n';

export function visitPreview(code: string, visit: Visit): Visited {
  if (!code.startsWith(IMPORT)) throw new Error("The first line must import the module, as CloudFront asks.");
  const { host, uri = "/", method = "GET", headers = {}, query = {}, cookies = {} } = visit;
  const values = (of: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, { value }]));
  const search = new URLSearchParams(query).toString();
  const request = {
    method,
    uri,
    headers: { ...values(headers), host: { value: host } },
    querystring: values(query),
    cookies: values(cookies),
    rawQueryString: () => (search === "" ? undefined : search),
  };
  const event = { request, context: { eventType: "viewer-request", requestId: crypto.randomUUID() } };
  let origin: Visited["origin"] = null;
  const cf = {
    selectRequestOriginById(id: string, { hostHeader = null }: { hostHeader?: string | null } = {}) {
      origin = { id, hostHeader };
    },
  };
  const script = `"use strict"; ${code.slice(IMPORT.length)}; handler(event)`;
  const result = runInNewContext(script, { event, cf, require: () => crypto, Buffer });
  return { answer: result === request ? null : result, origin, sent: request };
}

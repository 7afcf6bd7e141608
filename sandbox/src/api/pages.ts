/** What the pages of the sandbox have in common. */
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Whether a form was posted from our own page. Browsers send `Origin` with every cross-site POST
 * (Fetch, section 3.2). A client that sends none is not a browser, so no user can be tricked into using it.
 */
export function isSameOrigin(request: FastifyRequest, publicOrigin: string | null): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  const { origin } = request.headers;
  return origin === undefined || origin === publicOrigin || origin === `http://${request.headers.host ?? ""}`;
}

/** @param leadsTo origins that a form on it leads to in the end, besides this one */
export function sendPage(
  reply: FastifyReply,
  status: number,
  content: string,
  leadsTo: readonly string[] = [],
): FastifyReply {
  return reply
    .status(status)
    .headers({
      "content-security-policy": `default-src 'none'; style-src 'self'; form-action ${["'self'", ...leadsTo].join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    })
    .type("text/html; charset=utf-8")
    .send(content);
}

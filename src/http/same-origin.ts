import type { FastifyRequest } from "fastify";
import { AppError } from "../lib/errors.ts";
import { HTTP_ERRORS } from "./errors.ts";

/** Methods that change nothing. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A browser sends a cookie with requests of other sites too. So a write with a cookie must come from our own pages:
 * the browser says so in `Sec-Fetch-Site` (W3C Fetch Metadata), an old one in `Origin`. A read only must not come from
 * elsewhere. `publicOrigin` is what browsers call us; a direct request may use another name, which is in its Host.
 * @throws AppError `CROSS_SITE_REFUSED`
 */
export function requireSameOrigin(request: FastifyRequest, publicOrigin: string): void {
  const site = request.headers["sec-fetch-site"];
  const isRead = SAFE.has(request.method);
  if (site === "same-origin" || (isRead && site === "none")) return;
  if (site === undefined) {
    const { origin } = request.headers;
    if (origin === undefined ? isRead : isOwn(origin, request, publicOrigin)) return;
  }
  throw new AppError(
    HTTP_ERRORS.CROSS_SITE_REFUSED,
    "A request with a session's cookie must come from Slipway's own pages. Programs send an API key: Authorization: Bearer <API_KEY>.",
  );
}

function isOwn(origin: string, request: FastifyRequest, publicOrigin: string): boolean {
  return origin === publicOrigin || origin === `${request.protocol}://${request.headers.host}`;
}

/**
 * The cookie that has a session's token. On HTTPS its name begins with `__Host-`: a browser takes such a cookie only
 * from this host over HTTPS, so no other host can plant one (RFC 6265bis, section 4.1.3.2).
 */
import type { FastifyReply, FastifyRequest } from "fastify";

/** A cookie to set, or the end of one. */
export type CookieChange = { readonly value: string; readonly maxAgeSeconds: number } | "ended";

export type HostCookie = {
  /** The value that the request has; null without one. */
  read(request: FastifyRequest): string | null;
  set(request: FastifyRequest, reply: FastifyReply, change: CookieChange): void;
};

/** @param publicUrl behind a proxy, it says whether browsers use HTTPS */
export function createHostCookie(name: string, publicUrl: string): HostCookie {
  const isPublicSecure = publicUrl.startsWith("https:");
  const isSecure = (request: FastifyRequest): boolean => isPublicSecure || request.protocol === "https";
  const nameFor = (request: FastifyRequest): string => (isSecure(request) ? `__Host-${name}` : name);
  return {
    read(request) {
      const start = `${nameFor(request)}=`;
      for (const part of request.headers.cookie?.split(";") ?? []) {
        const cookie = part.trim();
        if (cookie.startsWith(start)) return cookie.slice(start.length) || null;
      }
      return null;
    },
    set(request, reply, change) {
      const { value, maxAgeSeconds } = change === "ended" ? { value: "", maxAgeSeconds: 0 } : change;
      // `Lax`, not `Strict`: the way back from an identity provider comes from another site.
      const attributes = ["Path=/", `Max-Age=${maxAgeSeconds}`, "HttpOnly", "SameSite=Lax"];
      if (isSecure(request)) attributes.push("Secure");
      reply.header("set-cookie", [`${nameFor(request)}=${value}`, ...attributes].join("; "));
    },
  };
}

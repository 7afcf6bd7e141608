import { cutText } from "../../lib/cut-text.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../../db/database.ts";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import { holderOfAddress } from "../../http/limits/body-budget.ts";
import { sourceAddressOf } from "../../http/limits/source-address.ts";
import { createVisitorLimit } from "../../http/limits/rate-limit.ts";
import { createHostCookie } from "../../http/session-cookie.ts";
import { AppError } from "../../lib/errors.ts";
import { type Appearance, appearanceOf, type Brand, NO_BRANDING } from "../branding/brand.ts";
import { findBranding } from "../branding/queries.ts";
import { beginConnect, comeBack, findShareLink, noteOpening, requestSharedCheck } from "./commands.ts";
import { listShown } from "./queries.ts";
import type { ShareLink } from "./share-link.ts";
import { liveOf } from "./live.ts";
import { renderContinue, renderGone, renderNotOffered, renderShare, renderTooMany } from "./render-page.ts";
import { SCRIPT } from "./script.ts";
import { styleOf } from "./style.ts";

/** An open page asks twelve times. Many people may share an address, and several a link. */
const PER_ADDRESS = 240;
const PER_LINK = 480;
const CHECKS_PER_ADDRESS = 12;
const CHECKS_PER_LINK = 6;

/** A form has the name of a domain at most. */
const FORM_BYTES = 1_024;
const STATE_LENGTH = 200;
/** As long as an owner may take at the provider. */
const RETURN_SECONDS = 3_600;
const HIDDEN = { hide: true };
const TOKEN = /^[0-9A-Za-z]{27}$/;

type PageRequest = FastifyRequest<{ Params: { token: string }; Querystring: { asked?: unknown } }>;
type ReturnRequest = FastifyRequest<{
  Params: { name: string };
  Querystring: { state?: unknown; error?: unknown };
}>;
type StyleRequest = FastifyRequest<{ Querystring: { accent?: unknown } }>;
type Root = "./" | "../";
type Found = { readonly link: ShareLink } | { readonly retryAfterSeconds: number } | null;

/**
 * The pages of share links. The token of their address is the right to see them, so it must get nowhere: they are not
 * kept, they send no referrer, and logs have the route's pattern.
 */
export function registerSharePages(
  app: FastifyInstance,
  {
    db,
    brand,
    domainConnect,
    publicUrl,
  }: {
    readonly db: Database;
    readonly brand: Brand;
    readonly domainConnect: DomainConnect | null;
    readonly publicUrl: string;
  },
): void {
  const limits = { address: createVisitorLimit(PER_ADDRESS), link: createVisitorLimit(PER_LINK) };
  const checks = {
    address: createVisitorLimit(CHECKS_PER_ADDRESS),
    link: createVisitorLimit(CHECKS_PER_LINK),
  };
  const policy = policyOf(brand);
  /** For links that are not known, of which no organization is known. */
  const ownLook = appearanceOf(brand, NO_BRANDING);
  const isKnown = domainConnect !== null;
  // A visitor who comes back from a DNS provider no longer has the page's address, and the provider must not have it.
  const returnCookie = createHostCookie("slipway-share", publicUrl);

  const find = async (
    request: FastifyRequest,
    token: string,
    { address, link: ofLink }: typeof limits,
  ): Promise<Found> => {
    const tooMany = address.take(holderOfAddress(sourceAddressOf(request)));
    if (tooMany !== null) return { retryAfterSeconds: tooMany };
    const link = TOKEN.test(token) ? await findShareLink(db, token) : null;
    if (link === null) return null;
    const retryAfterSeconds = ofLink.take(link.id);
    return retryAfterSeconds === null ? { link } : { retryAfterSeconds };
  };
  const lookOf = async ({ organizationId }: ShareLink): Promise<Appearance> =>
    appearanceOf(brand, await db.within(organizationId, () => findBranding(db, organizationId)));
  const protect = (reply: FastifyReply): FastifyReply =>
    reply.headers({
      "cache-control": "no-store",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow",
    });
  const sendPage = (reply: FastifyReply, status: number, text: string): FastifyReply =>
    protect(reply).code(status).type("text/html; charset=utf-8").send(text);
  /** What unknown, expired and revoked links are answered, and visitors who ask too often. */
  const refuse = (
    reply: FastifyReply,
    found: Exclude<Found, { link: ShareLink }>,
    root: Root,
  ): FastifyReply => {
    if (found === null) return sendPage(reply, 404, renderGone(ownLook, root));
    reply.header("retry-after", found.retryAfterSeconds);
    return sendPage(reply, 429, renderTooMany(ownLook, root, found.retryAfterSeconds));
  };

  app.get("/share/style.css", { schema: HIDDEN }, async (request: StyleRequest, reply) =>
    sendAsset(reply, "text/css; charset=utf-8", styleOf(accentOf(request.query.accent) ?? brand.color)),
  );
  app.get("/share/script.js", { schema: HIDDEN }, async (_request, reply) =>
    sendAsset(reply, "text/javascript; charset=utf-8", SCRIPT),
  );

  app.get("/share/:token", { schema: HIDDEN }, async (request: PageRequest, reply) => {
    const found = await find(request, request.params.token, limits);
    if (found === null || !("link" in found)) return refuse(reply, found, "./");
    const { link } = found;
    if (link.openedAt === null && request.method === "GET") await noteOpening(db, link, visitOf(request));
    const shown = await listShown(db, link, isKnown);
    const hasAsked = request.query.asked !== undefined;
    return sendPage(reply, 200, renderShare(await lookOf(link), shown, request.params.token, hasAsked));
  });

  app.get("/share/:token/live", { schema: HIDDEN }, async (request: PageRequest, reply) => {
    const found = await find(request, request.params.token, limits);
    if (found === null || !("link" in found)) return refuse(reply, found, "../");
    return protect(reply)
      .type("application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send(liveOf(await listShown(db, found.link, isKnown)));
  });

  app.get("/share/return/:name", { schema: HIDDEN }, async (request: ReturnRequest, reply) => {
    const token = returnCookie.read(request) ?? "";
    const found = await find(request, token, limits);
    if (found === null || !("link" in found)) return refuse(reply, found, "../");
    const [name, state, error] = [request.params.name, textOf(request.query.state), request.query.error];
    try {
      const back = { name, state, error: error === undefined ? null : textOf(error) };
      await comeBack(db, found.link, back, visitOf(request));
    } catch (failure) {
      // A refused return is not reported to the visitor: the page shows what the DNS has.
      if (!(failure instanceof AppError)) throw failure;
    }
    returnCookie.set(request, reply, "ended");
    return protect(reply).header("location", `../${token}?asked=1`).code(303).send();
  });

  void app.register(async (scope) => {
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: FORM_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.post(
      "/share/:token/check",
      { schema: HIDDEN, bodyLimit: FORM_BYTES },
      async (request: PageRequest, reply) => {
        const found = await find(request, request.params.token, checks);
        if (found === null || !("link" in found)) return refuse(reply, found, "../");
        await requestSharedCheck(db, found.link, visitOf(request));
        return protect(reply).header("location", `../${request.params.token}?asked=1`).code(303).send();
      },
    );
    scope.post(
      "/share/:token/connect",
      { schema: HIDDEN, bodyLimit: FORM_BYTES },
      async (request: PageRequest, reply) => {
        const { token } = request.params;
        const found = await find(request, token, checks);
        if (found === null || !("link" in found)) return refuse(reply, found, "../");
        const name = request.body instanceof URLSearchParams ? (request.body.get("domain") ?? "") : "";
        const attempt = { name, redirectUri: `${publicUrl}/share/return/${encodeURIComponent(name)}` };
        try {
          const begun = await beginConnect(db, domainConnect, found.link, attempt, visitOf(request));
          returnCookie.set(request, reply, { value: token, maxAgeSeconds: RETURN_SECONDS });
          return sendPage(reply, 200, renderContinue(await lookOf(found.link), name, begun));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          return sendPage(reply, 409, renderNotOffered(await lookOf(found.link), token));
        }
      },
    );
  });
}

/** A query may give a name twice. */
function textOf(given: unknown): string {
  return typeof given === "string" ? cutText(given, STATE_LENGTH) : "";
}

function visitOf(request: FastifyRequest) {
  return { requestId: request.id, sourceAddress: sourceAddressOf(request) };
}

/** The colour that an address names, which its page has chosen. */
function accentOf(given: unknown): string | null {
  return typeof given === "string" && /^[0-9a-f]{6}$/.test(given) ? `#${given}` : null;
}

/** Their addresses have a version. */
function sendAsset(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .type(type)
    .header("cache-control", "public, max-age=3600")
    .header("x-content-type-options", "nosniff")
    .send(text);
}

/** Only the page's own style, script and logo, the logo of the configuration, and nothing that would make markup of text. */
function policyOf({ logoUrl, frameAncestors }: Brand): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${logoUrl === null ? "" : ` ${new URL(logoUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database } from "../../db/database.ts";
import { holderOfAddress } from "../../http/limits/body-budget.ts";
import { createVisitorLimit } from "../../http/limits/rate-limit.ts";
import { sourceAddressOf } from "../../http/limits/source-address.ts";
import { logoFileOf } from "./brand.ts";
import { findLogo } from "./queries.ts";

const PER_ADDRESS = 240;
const FILE = /^(?<hash>[0-9a-f]{64})\.(?:png|jpeg|webp)$/;

/** The logos on the pages of share links. Only its bytes are sent, as what they were when it was stored. */
export function registerLogoRoute(app: FastifyInstance, { db }: { readonly db: Database }): void {
  const limit = createVisitorLimit(PER_ADDRESS);
  app.get(
    "/share/logo/:file",
    { schema: { hide: true } },
    async (request: FastifyRequest<{ Params: { file: string } }>, reply) => {
      reply.headers({
        // It is an image. If a browser takes it for a page nevertheless, that page can do nothing.
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "x-robots-tag": "noindex, nofollow",
        "cache-control": "no-store",
      });
      const retryAfterSeconds = limit.take(holderOfAddress(sourceAddressOf(request)));
      if (retryAfterSeconds !== null) return reply.code(429).header("retry-after", retryAfterSeconds).send();
      const hash = FILE.exec(request.params.file)?.groups?.["hash"];
      const logo = hash === undefined ? null : await findLogo(db, hash);
      if (
        hash === undefined ||
        logo === null ||
        logoFileOf({ hash, type: logo.type }) !== request.params.file
      )
        return reply.code(404).send();
      // Not for longer, because it may be removed.
      return reply
        .header("cache-control", "public, max-age=86400, immutable")
        .type(logo.type)
        .send(Buffer.from(logo.bytes));
    },
  );
}

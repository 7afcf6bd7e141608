import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, Id } from "../../http/schemas.ts";
import { isAdmin } from "../../lib/access.ts";
import { LOCKED } from "../users/commands.ts";
import { endSession, exchangeKey, getSession } from "./commands.ts";
import type { SessionLimits } from "./session.ts";
import { sessions } from "./store.ts";
import { NewSessionSchema, SessionSchema, viewSession } from "./views.ts";

const tag: Tag = {
  name: "Sessions",
  description:
    "Sign-ins of people in browsers. A session's token is in a cookie; its writes must come from Slipway's own pages.",
};

const OWN = { role: "viewer", scope: "read", reach: "organization", tag } as const;

export function registerSessionRoutes(
  http: Http,
  { db, limits }: { readonly db: Database; readonly limits: SessionLimits },
): void {
  http.write({
    ...OWN,
    method: "POST",
    path: "/v1/sessions",
    summary: "Sign in with an API key",
    description:
      "Sets the session's cookie: `__Host-slipway` over HTTPS, otherwise `slipway`. The session has the role of the key's user and the scopes of the key, and ends with the key. Its requests need the cookie and, in the header `slipway-page-key`, the `pageKey` of this response.",
    responses: { 201: NewSessionSchema },
    commit: async ({ tx, actor }) => {
      const { session, token, pageKey } = await exchangeKey(tx, actor);
      return {
        status: 201,
        location: `/v1/sessions/${session.id}`,
        session: { value: token, maxAgeSeconds: Math.floor(limits.maxMs / 1_000) },
        body: { ...viewSession(session, session.id, limits), pageKey },
      };
    },
  });

  http.read({
    ...OWN,
    path: "/v1/sessions",
    summary: "List sessions",
    description: "Lists your own sessions. An admin can also list those of other users.",
    query: Body({
      ...PAGE_QUERY,
      userId: Type.Optional(Id("user", "Only sessions of this user; by default, your own.")),
    }),
    response: ListOf("sessions", SessionSchema),
    handle: async ({ actor, query }) => {
      const { userId = actor.userId } = query;
      const page = readPage(query);
      const isShown = userId === actor.userId || isAdmin(actor);
      const rows = isShown ? await sessions.list(db, actor.organizationId, userId, limits, page) : [];
      const { items, nextCursor } = makePage(rows, page, (session) => session.id);
      return { sessions: items.map((one) => viewSession(one, actor.credential.id, limits)), nextCursor };
    },
  });

  http.read({
    ...OWN,
    path: "/v1/sessions/:sessionId",
    summary: "Get a session",
    description: "`current` is the session of the request.",
    response: SessionSchema,
    watch: ({ body }) => [body.id, body.userId],
    handle: async ({ sql, actor, params }) =>
      viewSession(await getSession(sql, actor, params.sessionId, limits), actor.credential.id, limits),
  });

  http.write({
    ...OWN,
    method: "DELETE",
    path: "/v1/sessions/:sessionId",
    precondition: LOCKED,
    summary: "End a session",
    description:
      "The session stops working everywhere within 5 s. `current` is the session of the request: ending it signs out and removes the cookie. An admin may end the sessions of any user. A key with limits, and a session of such a key, can only end sessions of the same key.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      const { id } = await endSession(tx, actor, params.sessionId);
      return { status: 204, ...(id === actor.credential.id ? { session: "ended" } : {}) };
    },
  });
}

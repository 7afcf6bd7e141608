/** What only a process that serves the API has: sign-in, the endpoints, the console, the way into the sandbox. */
import { registerTemplateRoute } from "../cloud/aws/stack/template.ts";
import type { Changes } from "../db/changes.ts";
import { findConnectionOwner, listConnectionIds } from "../features/cloud-accounts/queries.ts";
import { recordAudit } from "../features/audit/record-audit.ts";
import { findPrincipal } from "../features/api-keys/queries.ts";
import { createUses } from "../features/sessions/uses.ts";
import { sessions } from "../features/sessions/store.ts";
import { addGrants } from "../features/project-access/queries.ts";
import { workloadTokens } from "../features/workloads/store.ts";
import { createAuthentication } from "../http/auth.ts";
import { registerConsoleRoutes } from "../http/console-routes.ts";
import { createHolds } from "../http/limits/holds.ts";
import { createRateLimit } from "../http/limits/rate-limit.ts";
import { createHostCookie } from "../http/session-cookie.ts";
import { createRefusedSignIns } from "../http/limits/refused-sign-ins.ts";
import { registerEdgeForwarding } from "../http/edge-routes.ts";
import { HOST_PATHS, registerSandboxRoutes, SANDBOX_PATHS } from "../http/sandbox-routes.ts";
import { createProvider } from "../oidc/provider.ts";
import { checkHealth } from "./health/checks.ts";
import { allowsLoopback, openIssuers } from "./open/open-egress.ts";
import { retentionOf } from "./retention.ts";
import { registerRoutes } from "./register-routes.ts";
import type { Listener } from "../http/listen/listen.ts";
import type { Parts } from "./parts.ts";
import type { FastifyInstance } from "fastify";

/** The most that a header has room for. */
const LISTED_CONNECTIONS = 100;

export async function registerApi(
  app: FastifyInstance,
  parts: Parts & { readonly changes: Changes; readonly listener: Listener },
): Promise<void> {
  const { config, publicUrl, log, db, clock, sealing, listener, metrics, opened } = parts;
  const { cloud, platform, git, sandbox, ownServer, connectionTemplate } = opened;
  const readOwnServer = ownServer === null ? null : () => ownServer.readState({ isProbed: true });
  const rateLimit = config.rateLimitPerMinute === null ? null : createRateLimit(config.rateLimitPerMinute);
  const logRefusal = createRefusedSignIns({ log });
  const uses = createUses({ db, log });
  app.addHook("onClose", () => uses.close());
  const providers = config.oidc.map((settings) => createProvider(settings, publicUrl));
  // So that the first who signs in does not wait. Nothing waits for it here.
  for (const provider of providers) void provider.findProblem();
  const sessionCookie = createHostCookie("slipway", publicUrl);
  const authentication = createAuthentication({
    onRefused(request, reason) {
      metrics.onRefusedSignIn(reason);
      logRefusal(request, reason);
    },
    findPrincipal: async ({ kind, hash, organizationId }) => {
      // A key does not name its organization, as a session and a token do.
      if (organizationId === null)
        return await db.acrossOrganizations(async () => await addGrants(db, await findPrincipal(db, hash)));
      return await db.within(organizationId, async () =>
        addGrants(
          db,
          kind === "session"
            ? await sessions.findPrincipal(db, organizationId, hash, config.session)
            : await workloadTokens.findPrincipal(db, organizationId, hash),
        ),
      );
    },
    sessionCookie,
    publicOrigin: new URL(publicUrl).origin,
    admit: (credentialId, reply) => rateLimit?.take(credentialId, reply),
    onUsed: (principal) => uses.note(principal),
    know: (request) => listener.know(request),
  });
  registerRoutes(app, {
    ...parts,
    cloudName: config.cloud,
    git,
    cloud,
    platform,
    issuerExchange: openIssuers(config),
    allowsLoopbackWebhooks: allowsLoopback(config),
    authentication,
    holds: createHolds(config.held),
    sessionCookie,
    sessionLimits: config.session,
    signIn: { providers, attemptCookie: createHostCookie("slipway-sign-in", publicUrl), log },
    shareBrand: config.share,
    retention: retentionOf(config),
    checkHealth: () =>
      checkHealth({
        config,
        clock,
        db,
        atRest: sealing.atRest,
        dnsServers: opened.dnsServers,
        ownServer: readOwnServer,
      }),
    readOwnServer,
    draining: listener.draining,
  });
  if (connectionTemplate !== null) registerTemplateRoute(app, connectionTemplate);
  await registerConsoleRoutes(app);
  const small = sandbox ?? ownServer;
  if (small !== null && config.edgeSecret !== null)
    await registerEdgeForwarding(app, { url: small.url, draining: listener.draining });
  if (small !== null) {
    const { url: sandboxUrl, secret } = small;
    const { authenticate } = authentication;
    await registerSandboxRoutes(app, {
      paths: sandbox === null ? HOST_PATHS : SANDBOX_PATHS,
      sandboxUrl,
      secret,
      authenticate,
      connections: {
        ownerOf: (id) => db.acrossOrganizations(() => findConnectionOwner(db, id)),
        list: (organizationId) =>
          db.within(organizationId, () => listConnectionIds(db, organizationId, LISTED_CONNECTIONS)),
      },
      audit: (actor, method, path) =>
        db.within(actor.organizationId, () =>
          db.transaction(async (tx) => {
            const action = sandbox === null ? "edge.change-requested" : "sandbox.change-requested";
            recordAudit(tx, actor, action, path, { after: { method } });
          }),
        ),
    });
  }
}

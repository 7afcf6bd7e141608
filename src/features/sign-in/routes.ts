import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { shareWork } from "../../http/limits/shared-work.ts";
import { sourceAddressOf } from "../../http/limits/source-address.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import type { HostCookie } from "../../http/session-cookie.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError, notFound } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { toOneLine } from "../../lib/shown-text.ts";
import { OidcError } from "../../oidc/oidc-error.ts";
import type { Provider } from "../../oidc/provider.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import type { SessionLimits } from "../sessions/session.ts";
import { ATTEMPT_SECONDS, localPath, openAttempt, sealAttempt } from "./attempt.ts";
import { signIn } from "./commands.ts";
import { SIGN_IN_ERRORS } from "./errors.ts";
import { OidcSettingsSchema, SignInProvidersSchema, viewProvider, viewSettings } from "./views.ts";

const tag: Tag = { name: "Sign-in", description: "Identity providers to sign in at (OpenID Connect)." };

const REASONS = {
  unavailable: SIGN_IN_ERRORS.SIGN_IN_UNAVAILABLE,
  refused: SIGN_IN_ERRORS.SIGN_IN_REFUSED,
  invalid: SIGN_IN_ERRORS.SIGN_IN_INVALID,
} as const;

export type SignInRouteDeps = {
  readonly db: Database;
  readonly atRest: AtRestSealing;
  readonly providers: readonly Provider[];
  readonly publicUrl: string;
  readonly sessionCookie: HostCookie;
  /** Has the attempt while the browser is at the provider. */
  readonly attemptCookie: HostCookie;
  readonly limits: SessionLimits;
  readonly log: Logger;
  /** @throws AppError unless the actor's organization is the operator's */
  readonly requireOperator: (actor: Actor) => Promise<void>;
};

export function registerSignInRoutes(app: FastifyInstance, http: Http, deps: SignInRouteDeps): void {
  const { db, atRest, providers, publicUrl, sessionCookie, attemptCookie, limits, log } = deps;
  const find = (name: string): Provider => {
    const provider = providers.find(({ settings }) => settings.name === name);
    if (provider === undefined) throw notFound();
    return provider;
  };
  // Any client may send this request, so concurrent requests share one check of the providers.
  const listOnce = shareWork(async () => ({
    providers: await Promise.all(
      providers.map(async (provider) => viewProvider(provider, (await provider.findProblem()) === null)),
    ),
  }));

  app.get(
    "/auth/oidc",
    {
      schema: {
        operationId: "listSignInProviders",
        sdk: "signIn.listProviders",
        summary: "List the identity providers to sign in at",
        description: "Requires no API key. The list is empty if no provider is configured.",
        tag,
        needsKey: false,
        response: { 200: SignInProvidersSchema },
      },
    },
    async () => await listOnce(),
  );

  /** Failures lead to the sign-in page, which a person understands. */
  const orToPage =
    (handle: (request: SignInRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request: SignInRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const provider = find(request.params.name).settings.name;
      reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
      try {
        return await handle(request, reply);
      } catch (error) {
        const refusal = toRefusal(error);
        log.info(
          { requestId: request.id, provider, code: refusal.code, reason: refusal.message },
          "A sign-in at an identity provider was refused",
        );
        const answer = new URLSearchParams({ error: refusal.code, provider, requestId: request.id });
        return await reply.redirect(`/sign-in?${answer.toString()}`, 303);
      }
    };

  app.get<SignInRoute>(
    "/auth/oidc/:name/start",
    { schema: { hide: true } },
    orToPage(async (request, reply) => {
      const provider = find(request.params.name);
      const { url, attempt } = await provider.begin();
      const returnTo = localPath(request.query["returnTo"], publicUrl);
      const started = { provider: provider.settings.name, returnTo, startedAtMs: Date.now(), attempt };
      const value = await sealAttempt(atRest, started);
      attemptCookie.set(request, reply, { value, maxAgeSeconds: ATTEMPT_SECONDS });
      return await reply.redirect(url, 303);
    }),
  );

  app.get<SignInRoute>(
    "/auth/oidc/:name/callback",
    { schema: { hide: true } },
    orToPage(async (request, reply) => {
      const provider = find(request.params.name);
      const started = await openAttempt(atRest, attemptCookie.read(request), provider.settings.name);
      // Whatever comes now, it comes once.
      attemptCookie.set(request, reply, "ended");
      const [, query = ""] = request.url.split("?", 2);
      const isOfAttempt =
        started !== null && new URLSearchParams(query).get("state") === started.attempt.state;
      if (!isOfAttempt) throw expired();
      const identity = await provider.finish(query, started.attempt);
      const userAgent = toOneLine((request.headers["user-agent"] ?? "").slice(0, 300));
      const { token, pageKey } = await signIn(db, provider.settings, identity, {
        requestId: request.id,
        sourceAddress: sourceAddressOf(request),
        ...(userAgent === "" ? {} : { userAgent }),
      });
      const maxAgeSeconds = Math.floor(limits.maxMs / 1_000);
      sessionCookie.set(request, reply, { value: token, maxAgeSeconds });
      // A fragment reaches the page, and neither a server nor a page of another port.
      const [returnTo = "/"] = started.returnTo.split("#", 1);
      return await reply.redirect(`${returnTo}#page-key=${pageKey}`, 303);
    }),
  );

  http.read({
    path: "/v1/admin/sign-in-providers",
    role: "admin",
    scope: "admin",
    reach: "organization",
    operationId: "testSignInProviders",
    sdk: "admin.testSignInProviders",
    tag,
    summary: "Test the identity providers",
    description:
      "Asks each provider, and returns its configuration without the secret, and the reason if it cannot be used now. Only for admins of the installation's first organization, which is its operator's.",
    response: OidcSettingsSchema,
    handle: async ({ actor }) => {
      await deps.requireOperator(actor);
      const asked = providers.map(async (one) =>
        viewSettings(one, (await one.findProblem(true)) ?? one.lack()),
      );
      return { providers: await Promise.all(asked) };
    },
  });
}

type SignInRoute = { Params: { name: string }; Querystring: Readonly<Record<string, string | undefined>> };
type SignInRequest = FastifyRequest<SignInRoute>;

function expired(): AppError {
  return new AppError(
    SIGN_IN_ERRORS.SIGN_IN_EXPIRED,
    "The sign-in took too long, began in another tab, or was opened again. Sign in again.",
  );
}

/** Translates a refusal. @throws every other error, unchanged */
function toRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof OidcError) return new AppError(REASONS[error.reason], error.message);
  throw error;
}

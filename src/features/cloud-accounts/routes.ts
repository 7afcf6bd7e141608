import { isAdmin } from "../../lib/access.ts";
import type { Actor } from "../../lib/actor.ts";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Database } from "../../db/database.ts";
import { COMMON_FAULTS, type Fault, faultAt } from "../../lib/errors.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, ONE_LINE_TEXT, Nullable } from "../../http/schemas.ts";
import { sourceAddressOf } from "../../http/limits/source-address.ts";
import { isConnectionId } from "../../lib/ids.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import {
  createAwsAccount,
  lockAwsAccount,
  requestAwsAccountCheck,
  updateAwsAccount,
  recordReportedIdentity,
} from "./commands.ts";
import { getAwsAccount } from "./queries.ts";
import { awsAccounts } from "./store.ts";
import type { AwsAccount } from "./aws-account.ts";
import {
  AwsAccountSchema,
  NewAwsAccountSchema,
  viewAwsAccount,
  viewNewAwsAccount,
  WAITING_EXAMPLE,
} from "./views.ts";

const NAME = Type.String({
  ...ONE_LINE_TEXT,
  maxLength: 200,
  description: "Display name.",
  examples: ["Acme production"],
});
const GIVEN_ID = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9_-]*$",
  description: "Your own identifier, unique within the organization.",
  examples: ["acme-production"],
});
const EXPECTED = Nullable(
  Type.String({
    pattern: "^[0-9]{12}$",
    description:
      "The only AWS account that may connect (12 digits); a stack in any other account is refused. Null or omitted: any account whose role trusts this connection.",
    examples: ["111122223333"],
  }),
);
export const AWS_ACCOUNTS_TAG: Tag = {
  name: "Cloud accounts",
  description:
    "Connections to the cloud accounts that Slipway deploys into. Creating a connection's stack in the account completes it.",
};
const ADMIN = { role: "admin", scope: "admin", reach: "organization", tag: AWS_ACCOUNTS_TAG } as const;
const READ = { role: "viewer", scope: "read", reach: "organization", tag: AWS_ACCOUNTS_TAG } as const;

/** Paths take both, and the id takes precedence: the path would lead to another connection with that id. */
function findGivenIdFaults(body: unknown): readonly Fault[] {
  const givenId: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "givenId") : null;
  if (typeof givenId !== "string" || !isConnectionId(givenId)) return [];
  const message = "looks like a connection's id, which paths also accept; choose another";
  return [faultAt("/givenId", COMMON_FAULTS.INVALID, message)];
}

export function registerAwsAccountRoutes(http: Http, deps: { db: Database; cloud: Cloud; jobs: Jobs }): void {
  const { db, cloud, jobs } = deps;
  /** Only admins create stacks, and anyone who knows the stack's parameter can report an account. */
  const view = (actor: Actor, account: AwsAccount) =>
    viewAwsAccount(account, isAdmin(actor) ? cloud.stackFor(account.id) : null);

  http.write({
    method: "POST",
    path: "/v1/aws-accounts",
    ...ADMIN,
    summary: "Create a cloud account connection",
    description:
      "Creating the stack at `cloudStack.consoleUrl` completes the connection. Anyone who has the `id` can create the stack, so only admins see the `id` and `cloudStack` until then. Set `expectedAwsAccountId` if you know the account.",
    findFaults: findGivenIdFaults,
    body: Body({
      name: Type.Optional(NAME),
      givenId: GIVEN_ID,
      expectedAwsAccountId: Type.Optional(EXPECTED),
    }),
    responses: { 201: NewAwsAccountSchema },
    examples: { 201: WAITING_EXAMPLE },
    commit: async ({ tx, actor, body }) => {
      const account = await createAwsAccount(tx, actor, body);
      return {
        status: 201,
        location: `/v1/aws-accounts/${account.id}`,
        body: viewNewAwsAccount(account, cloud.stackFor(account.id)),
      };
    },
  });

  http.read({
    path: "/v1/aws-accounts",
    ...READ,
    summary: "List cloud account connections",
    description:
      "While a connection waits for its first account, only admins see its `id`. Others see its `givenId` instead, which every path and body also accepts.",
    query: Body(PAGE_QUERY),
    response: ListOf("awsAccounts", AwsAccountSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await awsAccounts.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(
        rows,
        page,
        ({ createdAtUtc, digest }) => `${createdAtUtc}/${digest}`,
      );
      return { awsAccounts: items.map((account) => view(actor, account)), nextCursor };
    },
  });

  http.read({
    path: "/v1/aws-accounts/:awsAccountId",
    ...READ,
    summary: "Get a cloud account connection",
    description: "Accepts the `id` or the `givenId`. Only admins see `cloudStack`.",
    response: AwsAccountSchema,
    examples: { 200: WAITING_EXAMPLE },
    watch: async ({ actor, params }) => [
      (await getAwsAccount(db, actor.organizationId, params.awsAccountId)).id,
    ],
    handle: async ({ sql, actor, params }) => {
      const account = await getAwsAccount(sql, actor.organizationId, params.awsAccountId);
      return view(actor, account);
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/aws-accounts/:awsAccountId",
    precondition: {
      lock: ({ tx, actor, params }) => lockAwsAccount(tx, actor.organizationId, params.awsAccountId),
    },
    ...ADMIN,
    summary: "Change the givenId, name or expected account of a cloud account connection",
    description:
      "Omitted fields stay as they are. `expectedAwsAccountId` can change until the connection belongs to an account.",
    findFaults: findGivenIdFaults,
    body: Body({
      name: Type.Optional(NAME),
      givenId: Type.Optional(GIVEN_ID),
      expectedAwsAccountId: Type.Optional(EXPECTED),
    }),
    responses: { 200: AwsAccountSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: view(actor, await updateAwsAccount(tx, jobs, actor, params.awsAccountId, body)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/aws-accounts/:awsAccountId/check",
    ...ADMIN,
    summary: "Check the role of a cloud account connection now",
    description:
      "Slipway also checks it daily. The request also repeats the check of a stack's pending report, and marks a `REPORT_REFUSED` as seen. The result is in `status`, `lastCheckAt` and `lastCheckError`.",
    responses: { 202: AwsAccountSchema },
    commit: async ({ tx, actor, params }) => {
      const account = await requestAwsAccountCheck(tx, jobs, actor, params.awsAccountId);
      return { status: 202, location: `/v1/aws-accounts/${account.id}`, body: view(actor, account) };
    },
  });
}

const ReportBody = Body({
  accountId: Type.String({ pattern: "^[0-9]{12}$" }),
  roleArn: Type.String({ pattern: "^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,200}$" }),
});

/** A report has two short fields. Its sender needs no key. */
const REPORT_BYTES = 4_096;

/**
 * The callback for the reports of customers' stacks. It needs no API key, so the answer is the same whether the
 * connection exists or not.
 */
export function registerStackCallbackRoute(app: FastifyInstance, deps: { db: Database; jobs: Jobs }): void {
  app.post<{ Params: { connectionId: string }; Body: Static<typeof ReportBody> }>(
    "/cloud-callbacks/:connectionId",
    {
      bodyLimit: REPORT_BYTES,
      schema: {
        hide: true,
        params: Type.Object({ connectionId: Type.String() }),
        body: ReportBody,
      },
    },
    async (request, reply) => {
      const { connectionId } = request.params;
      const from = { requestId: request.id, sourceAddress: sourceAddressOf(request) };
      // The connection's id shows its organization.
      await deps.db.acrossOrganizations(() =>
        deps.db.transaction(async (tx) => {
          await recordReportedIdentity(tx, deps.jobs, connectionId, request.body, from);
        }),
      );
      return await reply.code(204).send();
    },
  );
}

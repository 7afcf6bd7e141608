import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import type { Cloud } from "../cloud/cloud.ts";
import type { Database } from "../db/database.ts";
import type { Http } from "../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../http/paging.ts";
import { Body } from "../http/schemas.ts";
import type { Jobs } from "../jobs/jobs.ts";
import {
  createAwsAccount,
  deleteAwsAccount,
  getAwsAccount,
  noteReportedIdentity,
  requestAwsAccountCheck,
  updateAwsAccount,
} from "./commands.ts";
import { awsAccounts } from "./store.ts";
import {
  AwsAccountSchema,
  AwsAccountWithStackSchema,
  NewAwsAccountSchema,
  viewAwsAccount,
  viewAwsAccountWithStack,
  viewNewAwsAccount,
} from "./views.ts";

const NAME = Type.String({ minLength: 1, maxLength: 200 });
const GIVEN_ID = Type.String({
  minLength: 1,
  maxLength: 60,
  pattern: "^[a-zA-Z0-9][a-zA-Z0-9_-]*$",
  description: "Your own identifier, unique within the organization.",
});
const tag = "Cloud accounts";

export function registerAwsAccountRoutes(http: Http, deps: { db: Database; cloud: Cloud; jobs: Jobs }): void {
  const { db, cloud, jobs } = deps;

  http.write({
    method: "POST",
    path: "/v1/aws-accounts",
    role: "admin",
    tag,
    summary: "Create a cloud account connection",
    description: "The connection completes when the stack at `cloudStack.consoleUrl` is created.",
    body: Body({ name: Type.Optional(NAME), givenId: GIVEN_ID }),
    responses: { 201: NewAwsAccountSchema },
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
    role: "viewer",
    tag,
    summary: "List cloud account connections",
    query: Body(PAGE_QUERY),
    response: ListOf("awsAccounts", AwsAccountSchema),
    handle: async ({ actor, query }) => {
      const page = readPage(query);
      const rows = await awsAccounts.list(db, actor.organizationId, page);
      const { items, nextCursor } = makePage(rows, page, (account) => account.id);
      return { awsAccounts: items.map(viewAwsAccount), nextCursor };
    },
  });

  http.read({
    path: "/v1/aws-accounts/:awsAccountId",
    role: "viewer",
    tag,
    summary: "Get a cloud account connection",
    description: "By `id` or `givenId`.",
    response: AwsAccountWithStackSchema,
    watch: ({ body }) => [body.id],
    handle: async ({ actor, params }) => {
      const account = await getAwsAccount(db, actor.organizationId, params.awsAccountId);
      return viewAwsAccountWithStack(account, cloud.stackFor(account.id));
    },
  });

  http.write({
    method: "PATCH",
    path: "/v1/aws-accounts/:awsAccountId",
    role: "admin",
    tag,
    summary: "Change the givenId or name of a cloud account connection",
    body: Body({ name: Type.Optional(NAME), givenId: Type.Optional(GIVEN_ID) }),
    responses: { 200: AwsAccountSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewAwsAccount(await updateAwsAccount(tx, actor, params.awsAccountId, body)),
    }),
  });

  http.write({
    method: "POST",
    path: "/v1/aws-accounts/:awsAccountId/check",
    role: "admin",
    tag,
    summary: "Verify the role of a cloud account connection now",
    description:
      "It is verified daily anyway. The outcome shows in `status`, `lastCheckAt` and `lastCheckError`.",
    responses: { 202: AwsAccountSchema },
    commit: async ({ tx, actor, params }) => {
      const account = await requestAwsAccountCheck(tx, jobs, actor, params.awsAccountId);
      return { status: 202, location: `/v1/aws-accounts/${account.id}`, body: viewAwsAccount(account) };
    },
  });

  http.write({
    method: "DELETE",
    path: "/v1/aws-accounts/:awsAccountId",
    role: "admin",
    tag,
    summary: "Delete a cloud account connection",
    description:
      "The stack in the customer's account is not touched; delete it there. What Slipway could not remove because the account does not work stays too: it carries the tag `slipway:connection`.",
    responses: { 204: null },
    commit: async ({ tx, actor, params }) => {
      await deleteAwsAccount(tx, actor, params.awsAccountId);
      return { status: 204 };
    },
  });
}

const ReportBody = Body({
  accountId: Type.String({ pattern: "^[0-9]{12}$" }),
  roleArn: Type.String({ pattern: "^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,200}$" }),
});

/**
 * Where a customer's stack reports to. It has no API key, so the answer is the same whether the
 * connection exists or not.
 */
export function registerStackCallbackRoute(app: FastifyInstance, deps: { db: Database; jobs: Jobs }): void {
  app.post<{ Params: { connectionId: string }; Body: Static<typeof ReportBody> }>(
    "/cloud-callbacks/:connectionId",
    {
      schema: {
        hide: true,
        params: Type.Object({ connectionId: Type.String() }),
        body: ReportBody,
      },
    },
    async (request, reply) => {
      const { connectionId } = request.params;
      await deps.db.transaction(async (tx) => {
        await noteReportedIdentity(tx, deps.jobs, connectionId, request.body);
      });
      return await reply.code(204).send();
    },
  );
}

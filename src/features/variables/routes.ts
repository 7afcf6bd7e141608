import { Type } from "typebox";
import type { Clock } from "../../lib/clock.ts";
import type { Database } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS, Text } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { RunSealing } from "../../sealing/sealing.ts";
import { deleteVariable, lockVariable } from "./commands.ts";
import { getRunItems, getVariable, getVariableScope } from "./queries.ts";
import { listEffectiveVariables } from "./effective/effective.ts";
import { scopeIdOf } from "./env-variable.ts";
import { SCOPES, type ScopeRoutes } from "./scope-paths.ts";
import { envVariables } from "./store.ts";
import { RunStatusSchema, viewRunStatus } from "./run-views.ts";
import {
  EffectiveVariableSchema,
  EnvVariableSchema,
  REMOVING_EXAMPLE,
  viewEffectiveVariable,
  viewVariable,
} from "./views.ts";

export const VARIABLES_TAG: Tag = {
  name: "Environment variables",
  description:
    "Variables of environments and services: plain text, secrets in the cloud account, and references.",
};

const tag = VARIABLES_TAG;

export type VariableDeps = {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly sealing: RunSealing;
  readonly clock: Clock;
};

const EnvVariableListSchema = Type.Object(
  {
    ...ListOf("envVariables", EnvVariableSchema).properties,
    revision: Text(
      "Changes with every change of a variable of the scope, whatever page this is.",
      "9e107d9d372bb6826bd81d3542a419d6",
    ),
  },
  { title: "EnvVariableList", description: "One page of the list." },
);

export function registerVariableRoutes(http: Http, deps: VariableDeps): void {
  for (const scope of SCOPES) registerScopeRoutes(http, deps, scope);

  http.read({
    path: "/v1/services/:serviceId/env-variables/effective",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "listEffectiveVariables",
    sdk: "variables.listEffective",
    summary: "List the effective variables of a service",
    description:
      "What the service gets at runtime, ordered by name. A service's variables take precedence over its environment's, and variables set with the API over those of the configuration.",
    query: Body(PAGE_QUERY),
    response: ListOf("envVariables", EffectiveVariableSchema),
    watch: async ({ actor, params, body }) => {
      const { environmentId } = await getVariableScope(deps.db, actor.organizationId, params);
      const linkedIds = body.envVariables.flatMap(({ fromService }) => fromService?.id ?? []);
      return [params.serviceId, environmentId, ...linkedIds];
    },
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const all = await listEffectiveVariables(deps.db, actor.organizationId, params.serviceId);
      const rows = pageOfNames(all, page, ({ variable }) => variable.name);
      const { items, nextCursor } = makePage(rows, page, ({ variable }) => variable.name);
      return {
        envVariables: items.map(({ variable, linkedValue }) => viewEffectiveVariable(variable, linkedValue)),
        nextCursor,
      };
    },
  });
}

/** The part of a list (ordered by name) that a page shows, plus one more row. */
function pageOfNames<T>(all: readonly T[], page: Page, nameOf: (row: T) => string): readonly T[] {
  const { after, order, limit } = page;
  const ordered = order === "asc" ? all : all.toReversed();
  const isLater = (name: string): boolean =>
    after === null || (order === "asc" ? name > after : name < after);
  return ordered.filter((row) => isLater(nameOf(row))).slice(0, limit + 1);
}

/** Environments and services have the same endpoints. */
function registerScopeRoutes(
  http: Http,
  { db, jobs }: VariableDeps,
  { path, noun, owner, refOf, idOf, urlOf }: ScopeRoutes,
): void {
  http.read({
    path: `${path}/status`,
    role: "viewer",
    scope: "read",
    tag,
    operationId: `get${noun}VariablesRun`,
    sdk: "variables.getRun",
    summary: `Get the status of a run that sets variables of ${owner}`,
    description: "Runs are kept for 30 days.",
    query: Body({
      runId: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "The `runId` of the 202 answer.",
        examples: [EXAMPLE_IDS.run],
      }),
    }),
    response: RunStatusSchema,
    watch: ({ query }) => [query.runId],
    handle: async ({ actor, params, query }) =>
      viewRunStatus(await getRunItems(db, actor.organizationId, refOf(params), query.runId)),
  });

  http.read({
    path,
    role: "viewer",
    scope: "read",
    tag,
    operationId: `list${noun}Variables`,
    summary: `List variables of ${owner}`,
    description:
      "Ordered by name. Managed values are never shown. The ETag changes with every variable of the scope, also with those of other pages.",
    query: Body(PAGE_QUERY),
    response: EnvVariableListSchema,
    watch: ({ params }) => [idOf(params)],
    handle: async ({ sql, actor, params, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const id = scopeIdOf(await getVariableScope(sql, organizationId, refOf(params)));
      const [rows, revision] = await Promise.all([
        envVariables.list(sql, organizationId, id, page),
        envVariables.readRevision(sql, organizationId, id),
      ]);
      const { items, nextCursor } = makePage(rows, page, ({ name, source }) => `${name}:${source}`);
      return { envVariables: items.map(viewVariable), nextCursor, revision };
    },
  });

  http.read({
    path: `${path}/:name`,
    role: "viewer",
    scope: "read",
    tag,
    operationId: `get${noun}Variable`,
    summary: `Get a variable of ${owner}`,
    description:
      "Only variables set with the API. The paths `status` and `effective` are other endpoints, so variables of these names are only in the list.",
    response: EnvVariableSchema,
    watch: ({ params }) => [idOf(params)],
    handle: async ({ sql, actor, params }) =>
      viewVariable(await getVariable(sql, actor.organizationId, refOf(params), params.name)),
  });

  http.write({
    method: "DELETE",
    path: `${path}/:name`,
    precondition: {
      lock: ({ tx, actor, params }) => lockVariable(tx, actor.organizationId, refOf(params), params.name),
    },
    role: "developer",
    scope: "variables",
    tag,
    operationId: `delete${noun}Variable`,
    summary: `Delete a variable of ${owner}`,
    description:
      "Answers 202 if its value has to be removed from the cloud account; the list shows the variable as `REMOVING` until then. Delete variables of the configuration in the configuration.",
    responses: { 202: EnvVariableSchema, 204: null },
    examples: { 202: REMOVING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const removing = await deleteVariable(tx, jobs, actor, refOf(params), params.name);
      if (removing === null) return { status: 204 };
      return { status: 202, location: urlOf(params), body: viewVariable(removing) };
    },
  });
}

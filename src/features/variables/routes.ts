import { Type } from "typebox";
import type { Clock } from "../../lib/clock.ts";
import type { Database } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import type { RunSealing } from "../../sealing/sealing.ts";
import { deleteVariable, lockVariable, setVariables } from "./commands.ts";
import { getRunItems, getVariable, getVariableScope, type ScopeRef } from "./queries.ts";
import { prepareVariables } from "./prepare-write.ts";
import { listEffectiveVariables } from "./effective/effective.ts";
import { scopeIdOf } from "./env-variable.ts";
import { findGroupFaults } from "./groups.ts";
import { envVariables } from "./store.ts";
import { CompletedSchema, ProcessingSchema, RunStatusSchema, viewRunStatus } from "./run-views.ts";
import {
  EffectiveVariableSchema,
  EnvVariableSchema,
  REMOVING_EXAMPLE,
  viewEffectiveVariable,
  viewVariable,
} from "./views.ts";
import { GROUPS, SET_VARIABLES } from "./body.ts";

const tag: Tag = {
  name: "Environment variables",
  description:
    "Variables of environments and services: plain text, secrets in the cloud account, and references.",
};

export type VariableDeps = {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly sealing: RunSealing;
  readonly clock: Clock;
};

export function registerVariableRoutes(http: Http, deps: VariableDeps): void {
  registerScopeRoutes(http, deps, "/v1/environments/:environmentId/env-variables", "an environment");
  registerScopeRoutes(http, deps, "/v1/services/:serviceId/env-variables", "a service");

  http.read({
    path: "/v1/services/:serviceId/env-variables/effective",
    role: "viewer",
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

type ScopePath = "/v1/environments/:environmentId/env-variables" | "/v1/services/:serviceId/env-variables";

/** Environments and services have the same endpoints. */
function registerScopeRoutes(http: Http, deps: VariableDeps, path: ScopePath, owner: string): void {
  const { db, jobs } = deps;
  const isService = path.startsWith("/v1/services/");
  const noun = isService ? "Service" : "Environment";
  const refOf = (params: { environmentId: string; serviceId: string }): ScopeRef =>
    isService ? { serviceId: params.serviceId } : { environmentId: params.environmentId };
  const idOf = (params: { environmentId: string; serviceId: string }): string =>
    isService ? params.serviceId : params.environmentId;
  const urlOf = (id: string): string => path.replace(/:[A-Za-z]+/, id);

  http.write({
    method: "POST",
    path,
    role: "developer",
    tag,
    operationId: `set${noun}Variables`,
    sdk: "variables.set",
    summary: `Set variables of ${owner}`,
    description:
      "Other variables stay as they are. Values of `parameterStore` and `secretsManager` are stored in the cloud account in the background; follow the run at `Location`. For each name, the newest accepted request wins.",
    body: Body(GROUPS, SET_VARIABLES),
    findFaults: findGroupFaults,
    responses: { 200: CompletedSchema, 202: ProcessingSchema },
    prepare: ({ actor, params, body }) => prepareVariables(deps, actor, refOf(params), body),
    commit: async ({ tx, actor, params, prepared }) => {
      await setVariables(tx, jobs, actor, prepared);
      const { run, plain } = prepared;
      const savedCount = plain.length;
      if (run === null) return { status: 200, body: { status: "completed", savedCount } };
      return {
        status: 202,
        location: `${urlOf(idOf(params))}/status?runId=${run.id}`,
        body: { status: "processing", runId: run.id, savedCount, processingCount: run.items.length },
      };
    },
  });

  http.read({
    path: `${path}/status`,
    role: "viewer",
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
    tag,
    operationId: `list${noun}Variables`,
    summary: `List variables of ${owner}`,
    description: "Ordered by name. Managed values are never shown.",
    query: Body(PAGE_QUERY),
    response: ListOf("envVariables", EnvVariableSchema),
    watch: ({ params }) => [idOf(params)],
    handle: async ({ actor, params, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const scope = await getVariableScope(db, organizationId, refOf(params));
      const rows = await envVariables.list(db, organizationId, scopeIdOf(scope), page);
      const { items, nextCursor } = makePage(rows, page, ({ name, source }) => `${name}:${source}`);
      return { envVariables: items.map(viewVariable), nextCursor };
    },
  });

  http.read({
    path: `${path}/:name`,
    role: "viewer",
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
      return { status: 202, location: urlOf(idOf(params)), body: viewVariable(removing) };
    },
  });
}

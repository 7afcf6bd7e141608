import {
  getRunItems,
  getVariable,
  getVariableScope,
  listEffectiveVariables,
  listVersions,
} from "./queries.ts";
import { Type } from "typebox";
import type { Cloud } from "../../cloud/cloud.ts";
import type { Page } from "../../db/page.ts";
import type { Http, Reply } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS, Flag, Text } from "../../http/schemas.ts";
import type { WorkDeps } from "../../jobs/jobs.ts";
import type { RunSealing } from "../../sealing/sealing.ts";
import {
  changeVariables,
  type Deleted,
  deleteVariable,
  deleteVariables,
  lockVariables,
  restoreVariable,
  setVariables,
} from "./commands.ts";
import { type EffectiveVariable, type ScopeRef, scopeIdOf } from "./env-variable.ts";
import { envVariables } from "./store.ts";
import {
  RunStatusSchema,
  viewRunStatus,
  CompletedSchema,
  DeletedSchema,
  ProcessingSchema,
  ReplacedSchema,
  ReplacingSchema,
} from "./write-views.ts";
import {
  EffectiveVariableSchema,
  EnvVariableSchema,
  REMOVING_EXAMPLE,
  viewEffectiveVariable,
  viewVariable,
  VersionSchema,
  viewVersion,
} from "./views.ts";
import {
  CHANGES,
  GROUPS,
  REPLACE_VARIABLES,
  SET_VARIABLES,
  findChangeFaults,
  findGroupFaults,
} from "./body.ts";
import { planWrite, type PreparedWrite, prepareVariables } from "./prepare-write.ts";

/** Environments and services have the same endpoints for their variables. */
const SCOPES = [
  {
    path: "/v1/environments/:environmentId/env-variables",
    /** For operation ids. */
    noun: "Environment",
    /** For texts. */
    owner: "an environment",
  },
  { path: "/v1/services/:serviceId/env-variables", noun: "Service", owner: "a service" },
] as const;

type Scope = (typeof SCOPES)[number];

const tag: Tag = {
  name: "Environment variables",
  description:
    "Variables of environments and services: plain text, secrets in the cloud account, and references.",
};
const READ = { role: "viewer", scope: "read", tag } as const;
const WRITE = { role: "developer", scope: "variables", tag } as const;

type Deps = WorkDeps & {
  readonly cloud: Pick<Cloud, "kind" | "joinsValues">;
  readonly sealing: RunSealing;
};

const EnvVariableListSchema = Type.Object(
  {
    ...ListOf("envVariables", EnvVariableSchema).properties,
    revision: Text(
      "Changes with every change of a variable of the scope, also with those of other pages.",
      "9e107d9d372bb6826bd81d3542a419d6",
    ),
  },
  { title: "EnvVariableList", description: "One page of the list." },
);

export function registerVariableRoutes(http: Http, deps: Deps): void {
  for (const scope of SCOPES) registerBulkWrites(http, deps, scope);
  for (const scope of SCOPES) registerSingles(http, deps, scope);
  registerEffective(http, deps);
  for (const scope of SCOPES) registerHistory(http, deps, scope);
}

/** What a service gets at runtime. */
function registerEffective(http: Http, { db }: Deps): void {
  http.read({
    path: "/v1/services/:serviceId/env-variables/effective",
    ...READ,
    operationId: "listEffectiveVariables",
    sdk: "variables.listEffective",
    summary: "List the effective variables of a service",
    description:
      "Lists the variables that the service gets at runtime, ordered by name. A service's variables take precedence over its environment's, and variables set with the API over those of the configuration.",
    query: Body(PAGE_QUERY),
    response: ListOf("envVariables", EffectiveVariableSchema),
    watch: async ({ actor, params, body }) => {
      const { environmentId } = await getVariableScope(db, actor.organizationId, params);
      const linkedIds = body.envVariables.flatMap(({ fromService }) => fromService?.id ?? []);
      return [params.serviceId, environmentId, ...linkedIds];
    },
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const all = await listEffectiveVariables(db, actor.organizationId, params.serviceId);
      const { items, nextCursor } = makePage(restOf(all, page), page, ({ variable }) => variable.name);
      return { envVariables: items.map(viewEffectiveVariable), nextCursor };
    },
  });
}

/** The part of a list, ordered by name, from the page's beginning on. */
function restOf(all: readonly EffectiveVariable[], { after, order }: Page): readonly EffectiveVariable[] {
  const ordered = order === "asc" ? all : all.toReversed();
  if (after === null) return ordered;
  return ordered.filter(({ variable: { name } }) => (order === "asc" ? name > after : name < after));
}

/** The list, single variables, and runs. */
function registerSingles(http: Http, { db, jobs }: Deps, { path, noun, owner }: Scope): void {
  http.read({
    path: `${path}/status`,
    ...READ,
    operationId: `get${noun}VariablesRun`,
    sdk: "variables.getRun",
    summary: `Get the status of a run that sets variables of ${owner}`,
    description: "Runs are kept for 30 days.",
    query: Body({
      runId: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "The `runId` of the 202 response.",
        examples: [EXAMPLE_IDS.run],
      }),
    }),
    response: RunStatusSchema,
    watch: ({ query }) => [query.runId],
    handle: async ({ actor, params, query }) =>
      viewRunStatus(await getRunItems(db, actor.organizationId, params, query.runId)),
  });

  http.read({
    path,
    ...READ,
    operationId: `list${noun}Variables`,
    summary: `List variables of ${owner}`,
    description:
      "The list is ordered by name. Managed values are never shown. The ETag changes with every variable of the scope, also with those of other pages.",
    query: Body(PAGE_QUERY),
    response: EnvVariableListSchema,
    watch: ({ params }) => [scopeIdOf(params)],
    handle: async ({ sql, actor, params, query }) => {
      const { organizationId } = actor;
      const page = readPage(query);
      const id = scopeIdOf(await getVariableScope(sql, organizationId, params));
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
    ...READ,
    operationId: `get${noun}Variable`,
    summary: `Get a variable of ${owner}`,
    description:
      "Returns only variables that were set with the API. The paths `status` and `effective` are other endpoints, so variables with these names are only in the list.",
    response: EnvVariableSchema,
    watch: ({ params }) => [scopeIdOf(params)],
    handle: async ({ sql, actor, params }) =>
      viewVariable(await getVariable(sql, actor.organizationId, params, params.name)),
  });

  http.write({
    method: "DELETE",
    path: `${path}/:name`,
    precondition: {
      lock: ({ tx, actor, params }) => lockVariables(tx, actor.organizationId, params, params.name),
    },
    ...WRITE,
    operationId: `delete${noun}Variable`,
    summary: `Delete a variable of ${owner}`,
    description:
      "Returns 202 if its value has to be removed from the cloud account; the list shows the variable as `REMOVING` until then. Delete variables of the configuration in the configuration.",
    responses: { 202: EnvVariableSchema, 204: null },
    examples: { 202: REMOVING_EXAMPLE },
    commit: async ({ tx, actor, params }) => {
      const removing = await deleteVariable(tx, jobs, actor, params, params.name);
      if (removing === null) return { status: 204 };
      return { status: 202, location: urlOf(path, params), body: viewVariable(removing) };
    },
  });
}

const DRY_RUN = Body({
  dryRun: Type.Optional(Flag("`true` returns the effects of the request, and changes nothing.", false)),
});

/** The variables that a write sets; null if it also begins a run, for which it waits for answers. */
function namesOf({ ref, plain, run }: PreparedWrite): readonly string[] | null {
  return run === null ? plain.map(({ name }) => `${scopeIdOf(ref)}/${name}`) : null;
}

/** The address of the list. */
function urlOf(path: Scope["path"], ref: ScopeRef): string {
  return path.replace(/:[^/]+/, scopeIdOf(ref));
}

/** The answer to a write. @param deleted nothing for a write that deletes nothing */
function answerTo(path: Scope["path"], { ref, plain, run }: PreparedWrite, deleted: Deleted | null): Reply {
  const savedCount = plain.length;
  if (run === null) return { status: 200, body: { status: "completed", savedCount, ...deleted } };
  const { id: runId, items } = run;
  return {
    status: 202,
    location: `${urlOf(path, ref)}/status?runId=${runId}`,
    body: { status: "processing", runId, savedCount, processingCount: items.length, ...deleted },
  };
}

const NAMES_CHARACTERS_MAX = 4_000;

const NAMES = Body({
  names: Type.String({
    minLength: 1,
    maxLength: NAMES_CHARACTERS_MAX,
    pattern: "^[A-Za-z_][A-Za-z0-9_]*(?:,[A-Za-z_][A-Za-z0-9_]*)*$",
    description:
      "Names of variables that were set with the API, separated by commas. The `delete` of a POST takes more names.",
    examples: ["LOG_LEVEL,GREETING"],
  }),
});

/** The writes of many variables: set, replace and delete. */
function registerBulkWrites(http: Http, deps: Deps, { path, noun, owner }: Scope): void {
  const { db, jobs } = deps;
  http.write({
    method: "POST",
    path,
    ...WRITE,
    operationId: `set${noun}Variables`,
    sdk: "variables.set",
    summary: `Set variables of ${owner}`,
    description:
      "Other variables stay as they are, unless `delete` names them. Both happen in one transaction. Values of `parameterStore` and `secretsManager` are stored in the cloud account in the background; follow the run at `Location`. For each name, the newest accepted request wins.",
    query: DRY_RUN,
    body: Body(CHANGES, SET_VARIABLES),
    findFaults: findChangeFaults,
    responses: { 200: CompletedSchema, 202: ProcessingSchema },
    prepare: async ({ actor, params, query, body }) =>
      query.dryRun === true
        ? { plan: await planWrite(db, deps.cloud, actor, params, body, body.delete ?? []) }
        : await prepareVariables(deps, actor, params, body),
    changes: ({ prepared, body }) =>
      "plan" in prepared || body.delete !== undefined ? null : namesOf(prepared),
    commitAll: async (tx, all) => {
      const writes = all.flatMap(({ actor, body, prepared }) =>
        "plan" in prepared ? [] : [{ actor, names: body.delete, ...prepared }],
      );
      const [first] = writes;
      const deleted =
        first?.names === undefined
          ? await setVariables(tx, jobs, writes).then(() => null)
          : await changeVariables(tx, jobs, first.actor, first, first.names);
      return all.map(({ prepared }) =>
        "plan" in prepared
          ? { status: 200, body: { status: "dryRun", savedCount: 0, plan: prepared.plan } }
          : answerTo(path, prepared, deleted),
      );
    },
  });

  http.write({
    method: "PUT",
    path,
    precondition: { lock: ({ tx, actor, params }) => lockVariables(tx, actor.organizationId, params, null) },
    ...WRITE,
    operationId: `replace${noun}Variables`,
    sdk: "variables.replace",
    summary: `Replace all variables of ${owner}`,
    description:
      "Sets variables as the POST does, and deletes all others that were set with the API, in one transaction. Managed values that are deleted are removed from the cloud account in the background; to keep one, send its value again. Variables of the configuration stay. `If-Match` takes the ETag of the list without parameters.",
    query: DRY_RUN,
    body: Body(GROUPS, REPLACE_VARIABLES),
    findFaults: findGroupFaults,
    responses: { 200: ReplacedSchema, 202: ReplacingSchema },
    prepare: async ({ actor, params, query, body }) =>
      query.dryRun === true
        ? { plan: await planWrite(db, deps.cloud, actor, params, body, "others") }
        : await prepareVariables(deps, actor, params, body),
    commit: async ({ tx, actor, prepared }) => {
      if ("plan" in prepared) {
        const nothing = { savedCount: 0, deletedCount: 0, removingCount: 0 };
        return { status: 200, body: { status: "dryRun", ...nothing, plan: prepared.plan } };
      }
      return answerTo(path, prepared, await changeVariables(tx, jobs, actor, prepared, "others"));
    },
  });

  http.write({
    method: "DELETE",
    path,
    precondition: { lock: ({ tx, actor, params }) => lockVariables(tx, actor.organizationId, params, null) },
    ...WRITE,
    operationId: `delete${noun}Variables`,
    sdk: "variables.deleteMany",
    summary: `Delete several variables of ${owner}`,
    description:
      "Deletes all of them in one transaction, or none if a name is unknown. Each is deleted as by the DELETE of a single variable. `If-Match` takes the ETag of the list without parameters.",
    query: NAMES,
    responses: { 200: DeletedSchema },
    commit: async ({ tx, actor, params, query }) => ({
      status: 200,
      body: await deleteVariables(tx, jobs, actor, params, [...new Set(query.names.split(","))]),
    }),
  });
}

const RESTORE_VARIABLE = Body(
  {
    version: Type.String({
      // Only an id reaches the database: if a client sends a value here by mistake, it must not appear in a log.
      pattern: "^ver_[0-9A-Za-z]{1,60}$",
      description: "A `version` of the variable's history.",
      examples: [EXAMPLE_IDS.ver],
    }),
  },
  { title: "RestoreEnvVariableRequest", description: "The version to restore." },
);

function registerHistory(http: Http, { db }: Deps, { path, noun, owner }: Scope): void {
  http.read({
    path: `${path}/:name/history`,
    ...READ,
    operationId: `list${noun}VariableVersions`,
    sdk: "variables.listVersions",
    summary: `List the versions of a variable of ${owner}`,
    description:
      "The versions are listed in the order in which they took effect; the last one is in effect. Plain values and references are shown, values of managed variables are not. A deleted variable keeps its versions. A replaced version is kept for as many days as audit entries.",
    query: Body(PAGE_QUERY),
    response: ListOf("versions", VersionSchema),
    watch: ({ params }) => [scopeIdOf(params)],
    handle: async ({ actor, params, query }) => {
      const page = readPage(query);
      const rows = await listVersions(db, actor.organizationId, params, params.name, page);
      const { items, nextCursor } = makePage(rows, page, ({ version }) => version);
      return { versions: items.map(viewVersion), nextCursor };
    },
  });

  http.write({
    method: "POST",
    path: `${path}/:name/restore`,
    ...WRITE,
    operationId: `restore${noun}Variable`,
    sdk: "variables.restore",
    summary: `Restore an earlier version of a variable of ${owner}`,
    description:
      "Sets the variable to its earlier setting: a plain value, a reference or a link. A managed value is refused, because Slipway does not keep it.",
    body: RESTORE_VARIABLE,
    responses: { 200: EnvVariableSchema },
    commit: async ({ tx, actor, params, body }) => ({
      status: 200,
      body: viewVariable(await restoreVariable(tx, actor, params, params.name, body.version)),
    }),
  });
}

/** The writes of many variables: set, replace and delete. */
import { Type } from "typebox";
import type { Http } from "../../../http/http.ts";
import { Body } from "../../../http/schemas.ts";
import { CHANGES, GROUPS, REPLACE_VARIABLES, SET_VARIABLES } from "../body.ts";
import { changeVariables, deleteVariables, lockScope, replaceVariables, setVariables } from "../commands.ts";
import { findChangeFaults, findGroupFaults } from "../groups.ts";
import { planWrite, type PreparedWrite, prepareVariables } from "../prepare-write.ts";
import { VARIABLES_TAG as tag, type VariableDeps } from "../routes.ts";
import { SCOPES } from "../scope-paths.ts";
import {
  CompletedSchema,
  DeletedSchema,
  ProcessingSchema,
  ReplacedSchema,
  ReplacingSchema,
} from "../write-views.ts";

const DRY_RUN = Body({
  dryRun: Type.Optional(
    Type.Boolean({
      description: "`true` answers what the request would do, and does nothing.",
      examples: [false],
    }),
  ),
});

/** The variables that a write sets; null if it also begins a run, for which it waits for answers. */
function namesOf({ ref, plain, run }: PreparedWrite): readonly string[] | null {
  const id = "serviceId" in ref ? ref.serviceId : ref.environmentId;
  return run === null ? plain.map(({ name }) => `${id}/${name}`) : null;
}

const NAMES_CHARACTERS_MAX = 4_000;

const NAMES = Body({
  names: Type.String({
    minLength: 1,
    maxLength: NAMES_CHARACTERS_MAX,
    pattern: "^[A-Za-z_][A-Za-z0-9_]*(?:,[A-Za-z_][A-Za-z0-9_]*)*$",
    description:
      "Names of variables that were set with the API, separated by commas. The `delete` of a POST has room for more.",
    examples: ["LOG_LEVEL,GREETING"],
  }),
});

export function registerBulkRoutes(http: Http, deps: VariableDeps): void {
  const { db, jobs } = deps;
  for (const { path, noun, owner, refOf, urlOf } of SCOPES) {
    const processing = (params: Parameters<typeof urlOf>[0], { plain, run }: PreparedWrite) =>
      run === null
        ? null
        : {
            location: `${urlOf(params)}/status?runId=${run.id}`,
            body: {
              status: "processing",
              runId: run.id,
              savedCount: plain.length,
              processingCount: run.items.length,
            },
          };

    http.write({
      method: "POST",
      path,
      role: "developer",
      scope: "variables",
      tag,
      operationId: `set${noun}Variables`,
      sdk: "variables.set",
      summary: `Set variables of ${owner}`,
      description:
        "Other variables stay as they are, unless `delete` names them: both are one transaction. Values of `parameterStore` and `secretsManager` are stored in the cloud account in the background; follow the run at `Location`. For each name, the newest accepted request wins.",
      query: DRY_RUN,
      body: Body(CHANGES, SET_VARIABLES),
      findFaults: findChangeFaults,
      responses: { 200: CompletedSchema, 202: ProcessingSchema },
      prepare: async ({ actor, params, query, body }) =>
        query.dryRun === true
          ? { plan: await planWrite(db, actor, refOf(params), body, body.delete ?? []) }
          : await prepareVariables(deps, actor, refOf(params), body),
      changes: ({ prepared, body }) =>
        "plan" in prepared || body.delete !== undefined ? null : namesOf(prepared),
      commitAll: async (tx, all) => {
        const writes = all.flatMap(({ actor, body, prepared }) =>
          "plan" in prepared ? [] : [{ actor, names: body.delete, ...prepared }],
        );
        const [first] = writes;
        const deleted =
          first?.names === undefined
            ? await setVariables(tx, jobs, writes)
            : await changeVariables(tx, jobs, first.actor, first, first.names);
        return all.map(({ params, prepared }) => {
          if ("plan" in prepared)
            return { status: 200, body: { status: "dryRun", savedCount: 0, plan: prepared.plan } };
          const accepted = processing(params, prepared);
          if (accepted !== null) return { status: 202, ...accepted, body: { ...accepted.body, ...deleted } };
          return {
            status: 200,
            body: { status: "completed", savedCount: prepared.plain.length, ...deleted },
          };
        });
      },
    });

    http.write({
      method: "PUT",
      path,
      precondition: { lock: ({ tx, actor, params }) => lockScope(tx, actor.organizationId, refOf(params)) },
      role: "developer",
      scope: "variables",
      tag,
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
          ? { plan: await planWrite(db, actor, refOf(params), body, "others") }
          : await prepareVariables(deps, actor, refOf(params), body),
      commit: async ({ tx, actor, params, prepared }) => {
        if ("plan" in prepared) {
          const nothing = { savedCount: 0, deletedCount: 0, removingCount: 0 };
          return { status: 200, body: { status: "dryRun", ...nothing, plan: prepared.plan } };
        }
        const deleted = await replaceVariables(tx, jobs, actor, prepared);
        const accepted = processing(params, prepared);
        if (accepted !== null) return { status: 202, ...accepted, body: { ...accepted.body, ...deleted } };
        return {
          status: 200,
          body: { status: "completed", savedCount: prepared.plain.length, ...deleted },
        };
      },
    });

    http.write({
      method: "DELETE",
      path,
      precondition: { lock: ({ tx, actor, params }) => lockScope(tx, actor.organizationId, refOf(params)) },
      role: "developer",
      scope: "variables",
      tag,
      operationId: `delete${noun}Variables`,
      sdk: "variables.deleteMany",
      summary: `Delete several variables of ${owner}`,
      description:
        "All of them in one transaction, or none if a name is unknown. Each is deleted as by the DELETE of a single one. `If-Match` takes the ETag of the list without parameters.",
      query: NAMES,
      responses: { 200: DeletedSchema },
      commit: async ({ tx, actor, params, query }) => ({
        status: 200,
        body: await deleteVariables(tx, jobs, actor, refOf(params), [...new Set(query.names.split(","))]),
      }),
    });
  }
}

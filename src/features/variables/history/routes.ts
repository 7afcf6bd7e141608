import { Type } from "typebox";
import type { Http } from "../../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS } from "../../../http/schemas.ts";
import { VARIABLES_TAG as tag, type VariableDeps } from "../routes.ts";
import { SCOPES } from "../scope-paths.ts";
import { EnvVariableSchema, viewVariable } from "../views.ts";
import { listVersions, restoreVariable } from "./commands.ts";
import { VersionSchema, viewVersion } from "./views.ts";

const RESTORE_VARIABLE = Body(
  {
    version: Type.String({
      // Only an id reaches the database: if a client sends a value here by mistake, it must not appear in a log.
      pattern: "^ver_[0-9A-Za-z]{1,60}$",
      description: "A `version` of the variable's history.",
      examples: [EXAMPLE_IDS.ver],
    }),
  },
  { title: "RestoreEnvVariableRequest", description: "Which version to restore." },
);

export function registerHistoryRoutes(http: Http, { db }: VariableDeps): void {
  for (const { path, noun, owner, refOf, idOf } of SCOPES) {
    http.read({
      path: `${path}/:name/history`,
      role: "viewer",
      scope: "read",
      tag,
      operationId: `list${noun}VariableVersions`,
      sdk: "variables.listVersions",
      summary: `List what a variable of ${owner} has been`,
      description:
        "In the order in which the versions took effect; the last one is in effect. Plain values and references are shown, values of managed variables are not. A deleted variable keeps its versions. A version is kept for the days of audit entries after it was replaced.",
      query: Body(PAGE_QUERY),
      response: ListOf("versions", VersionSchema),
      watch: ({ params }) => [idOf(params)],
      handle: async ({ actor, params, query }) => {
        const page = readPage(query);
        const rows = await listVersions(db, actor.organizationId, refOf(params), params.name, page);
        const { items, nextCursor } = makePage(rows, page, ({ version }) => version);
        return { versions: items.map(viewVersion), nextCursor };
      },
    });

    http.write({
      method: "POST",
      path: `${path}/:name/restore`,
      role: "developer",
      scope: "variables",
      tag,
      operationId: `restore${noun}Variable`,
      sdk: "variables.restore",
      summary: `Restore an earlier version of a variable of ${owner}`,
      description:
        "Sets the variable to what it was: a plain value, a reference or a link. A managed value is refused, because Slipway does not keep it.",
      body: RESTORE_VARIABLE,
      responses: { 200: EnvVariableSchema },
      commit: async ({ tx, actor, params, body }) => ({
        status: 200,
        body: viewVariable(await restoreVariable(tx, actor, refOf(params), params.name, body.version)),
      }),
    });
  }
}

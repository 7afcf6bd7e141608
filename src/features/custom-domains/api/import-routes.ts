import { type Static, Type } from "typebox";
import type { Database } from "../../../db/database.ts";
import type { Http } from "../../../http/http.ts";
import { Body, Defaulted } from "../../../http/schemas.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { importDomains, planImport } from "../import/import-domains.ts";
import { readFirstCells } from "../import/read-csv.ts";
import { readLines } from "../import/read-lines.ts";
import { tag } from "./group-routes.ts";
import { ImportSchema, viewImport } from "./import-views.ts";

/** And a heading. */
const NAMES_MAX = 10_000;

const QUERY = Body({
  autoDns: Defaulted(
    Type.Boolean({
      default: false,
      description:
        "Whether Slipway sets the records. Names are placed into groups with this `autoDns`, and new groups get it.",
      examples: [true],
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({
      description: "`true` answers what the request would do, and does nothing.",
      examples: [false],
    }),
  ),
  namesPerGroup: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description:
        "How many names a group takes, with those that it has. A group has one certificate, and an AWS account's quota is 10 names for each unless it was raised.",
    }),
  ),
  distributionQuota: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 200,
      description:
        "How many distributions the account may have, with those that Slipway has in it. Each new group has its own.",
    }),
  ),
});

const BODY = Body({
  domains: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: NAMES_MAX + 1,
    description: "Up to 10,000 names, such as `www.example.com`. Blank ones are passed over.",
    examples: [["www.example.com"]],
  }),
});

export function registerImportRoute(http: Http, { db, jobs }: { db: Database; jobs: Jobs }): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/domains/import",
    role: "developer",
    scope: "domains",
    tag,
    operationId: "importDomains",
    sdk: "domains.import",
    summary: "Add up to 10,000 domains to a service",
    description:
      "As JSON, or as CSV (`Content-Type: text/csv`), whose first column has the names. Names are placed into the service's groups that have room, and then into new groups. All that can be accepted is added in one step, or nothing is; the answer says what becomes of each line. Send the rest again once it is corrected: what is there already is a `duplicate`.",
    query: QUERY,
    body: BODY,
    csv: {
      read: (text): Static<typeof BODY> => ({ domains: [...readFirstCells(text)] }),
      example: "domain\nwww.example.com\n",
    },
    responses: { 200: ImportSchema },
    prepare: async ({ actor, params, query, body }) => {
      const lines = await readLines(body.domains);
      const isDry = query.dryRun === true;
      const dry = isDry ? await planImport(db, actor.organizationId, params.serviceId, lines, query) : null;
      return { lines, dry };
    },
    commit: async ({ tx, actor, params, query, prepared }) => {
      const { lines, dry } = prepared;
      const plan = dry ?? (await importDomains(tx, jobs, actor, params.serviceId, lines, query));
      return { status: 200, body: viewImport(plan, dry !== null) };
    },
  });
}

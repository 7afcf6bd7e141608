import { type Static, Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Http } from "../../http/http.ts";
import { Body, Defaulted, Words } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { type Fault, COMMON_FAULTS, invalidRequest } from "../../lib/errors.ts";
import { GROUPINGS } from "./decide-import.ts";
import { importDomains, planImport } from "./commands.ts";
import { readLines } from "./read-lines.ts";
import { tag } from "../custom-domains/group-routes.ts";
import { ImportSchema, viewImport } from "./views.ts";

const NAMES_MAX = 10_000;

const QUERY = Body({
  groupBy: Defaulted(
    Words(GROUPINGS, {
      title: "ImportGrouping",
      default: "registrable-domain",
      description:
        "`registrable-domain`: only names below one registrable domain, such as `example.com`, share a group, because they have one owner. `none`: names of several owners share new groups. This needs fewer distributions, but the owners share a certificate. `column`: names with the same text in the column `groupColumn` of the CSV share a group, which is called like the text. Names without a text are grouped as with `registrable-domain`.",
      examples: ["registrable-domain"],
    }),
  ),
  groupColumn: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "The heading of the column by which names are grouped, such as `Customer`. Required by `groupBy=column`. Case, spaces, dashes and underscores are ignored.",
      examples: ["Customer"],
    }),
  ),
  autoDns: Defaulted(
    Type.Boolean({
      default: false,
      description:
        "Whether Slipway sets the records. Names are added to groups with the same `autoDns`; new groups get this value.",
      examples: [true],
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({
      description: "`true` returns what the request would do, and changes nothing.",
      examples: [false],
    }),
  ),
  namesPerGroup: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description:
        "The maximum number of names in a group, including existing ones. A group has one certificate. The default quota of an AWS account is 10 names for each certificate.",
    }),
  ),
  distributionQuota: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 200,
      description:
        "The maximum number of distributions in the account, including existing ones. Each new group has its own distribution.",
    }),
  ),
});

/** Of a CSV, which has a heading. */
const LINES_MAX = NAMES_MAX + 1;

const BODY = Body({
  domains: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: NAMES_MAX,
      description:
        "Up to 10,000 names, such as `www.example.com`. Of a URL, only the host is used. Blank entries, and entries that begin with `#`, are skipped.",
      examples: [["www.example.com"]],
    }),
  ),
  csv: Type.Optional(
    Type.String({
      description:
        "Instead of `domains`: a CSV with up to 10,001 lines, as in a request with `Content-Type: text/csv`.",
    }),
  ),
});

/** Of whatever was sent. */
function findSourceFaults(body: unknown): readonly Fault[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const { domains, csv }: Partial<Static<typeof BODY>> = body;
  if (domains === undefined && csv === undefined)
    return [{ path: "/domains", code: COMMON_FAULTS.REQUIRED.code, message: "is required" }];
  if (domains !== undefined && csv !== undefined)
    return [
      { path: "/csv", code: COMMON_FAULTS.INVALID.code, message: "replaces domains; send one of them" },
    ];
  const hasTooMany = typeof csv === "string" && csv.trimEnd().split(/\r\n|[\r\n]/).length > LINES_MAX;
  return hasTooMany
    ? [
        {
          path: "/csv",
          code: COMMON_FAULTS.TOO_LARGE.code,
          message: "has more than 10,001 lines; send it in parts",
        },
      ]
    : [];
}

/** @throws AppError `INVALID_REQUEST` if there is no column to group by */
function requireColumn(
  { groupBy, groupColumn }: Pick<Static<typeof QUERY>, "groupBy" | "groupColumn">,
  { csv }: Static<typeof BODY>,
): void {
  if (groupBy !== "column") return;
  const { INVALID, REQUIRED } = COMMON_FAULTS;
  if (groupColumn === undefined)
    throw invalidRequest([
      { path: "query/groupColumn", code: REQUIRED.code, message: "is required by groupBy=column" },
    ]);
  if (csv === undefined)
    throw invalidRequest([
      { path: "query/groupBy", code: INVALID.code, message: "can be column only for a CSV" },
    ]);
}

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
      "Takes JSON, or CSV (`Content-Type: text/csv`, in UTF-8, UTF-16 or Windows-1252) with the names below a heading such as `domain`, `FQDN` or `Website`, or in the first column. Names below one registrable domain share groups: first groups of the service that have room and no other names, then new groups. `groupBy` chooses another grouping. All names that can be accepted are added in one transaction. The response has the result of every line that is not blank. Correct the refused lines and send the file again: names that already exist are `duplicate`.",
    query: QUERY,
    body: BODY,
    csv: {
      read: (text): Static<typeof BODY> => ({ csv: text }),
      example: "domain\nwww.example.com\n",
    },
    responses: { 200: ImportSchema },
    findFaults: findSourceFaults,
    prepare: async ({ actor, params, query, body }) => {
      requireColumn(query, body);
      const groupColumn = query.groupBy === "column" ? (query.groupColumn ?? null) : null;
      const lines = await readLines(body, groupColumn);
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

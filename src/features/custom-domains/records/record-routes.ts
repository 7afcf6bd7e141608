import { type Static, Type } from "typebox";
import type { Database } from "../../../db/database.ts";
import type { Page } from "../../../db/page.ts";
import type { Http } from "../../../http/http.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../../http/requests/paging.ts";
import { Body, Words } from "../../../http/schemas.ts";
import type { Actor } from "../../../lib/actor.ts";
import { getProject } from "../../projects/queries.ts";
import type { ListedRecord } from "../custom-domain.ts";
import { dnsRecords } from "./dns-record-store.ts";
import type { CheckedThrough } from "./checked-through.ts";
import { CSV_HEADING, toCsv, toZone } from "./records-file.ts";
import { ListedDnsRecordSchema, viewListedRecord } from "./record-views.ts";
import { tag } from "../group-routes.ts";

/** Of a file. */
const RECORDS_AT_A_TIME = 2_000;

const QUERY = Body({
  ...PAGE_QUERY,
  format: Type.Optional(
    Words(["json", "csv", "zone"], {
      title: "DnsRecordsFormat",
      description:
        "`json`: a page of the list. `csv` and `zone` (a zone file): all records from the cursor on. `Accept: text/csv` and `Accept: text/dns` have the same effect.",
      examples: ["csv"],
    }),
  ),
});

/** What a file is asked for with. */
type Asked = {
  readonly actor: Actor;
  readonly params: { readonly projectId: string };
  readonly query: Static<typeof QUERY>;
  readonly signal: AbortSignal;
};

export function registerRecordRoute(
  http: Http,
  { db, checkedThrough }: { readonly db: Database; readonly checkedThrough: CheckedThrough },
): void {
  async function* readAll({ actor, params, query, signal }: Asked): AsyncIterable<readonly ListedRecord[]> {
    const { organizationId } = actor;
    await getProject(db, organizationId, params.projectId);
    let page: Page | null = { ...readPage(query), limit: RECORDS_AT_A_TIME };
    while (page !== null && !signal.aborted) {
      const rows = await dnsRecords.listOfProject(db, organizationId, params.projectId, page);
      yield rows.slice(0, RECORDS_AT_A_TIME);
      const last = rows[RECORDS_AT_A_TIME - 1];
      page = rows.length > RECORDS_AT_A_TIME && last !== undefined ? { ...page, after: last.id } : null;
    }
  }
  async function* write(asked: Asked, heading: string, render: (items: readonly ListedRecord[]) => string) {
    let isFirst = true;
    for await (const items of readAll(asked)) {
      yield `${isFirst ? heading : ""}${render(items)}`;
      isFirst = false;
    }
  }

  http.read({
    path: "/v1/projects/:projectId/dns-records",
    role: "viewer",
    scope: "read",
    tag,
    operationId: "listDnsRecordsOfProject",
    summary: "List the DNS records that a project's domains need",
    query: QUERY,
    response: ListOf("dnsRecords", ListedDnsRecordSchema),
    handle: async ({ sql, actor, params, query }) => {
      const page = readPage(query);
      const { organizationId } = actor;
      const rows = await dnsRecords.listOfProject(sql, organizationId, params.projectId, page);
      // Only an empty page leaves open whether there is such a project.
      if (rows.length === 0) await getProject(sql, organizationId, params.projectId);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      const until = await checkedThrough.read(sql);
      return { dnsRecords: items.map((record) => viewListedRecord(record, until)), nextCursor };
    },
    files: {
      csv: {
        type: "text/csv",
        example: `${CSV_HEADING}www.example.com,PENDING,CNAME,www.example.com,d111111abcdef8.cloudfront.net,SERVICE_CONNECTION\r\n`,
        open: (asked) => write(asked, CSV_HEADING, toCsv),
      },
      zone: {
        type: "text/dns",
        example: "www.example.com.\t300\tIN\tCNAME\td111111abcdef8.cloudfront.net.\n",
        open: (asked) => write(asked, "", toZone),
      },
    },
  });
}

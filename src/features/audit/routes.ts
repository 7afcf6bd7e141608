import { type Static, Type } from "typebox";
import type { Database } from "../../db/database.ts";
import type { Page } from "../../db/page.ts";
import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body, EXAMPLE_IDS } from "../../http/schemas.ts";
import type { Actor } from "../../lib/actor.ts";
import { auditEntries, type AuditFilter } from "./store.ts";
import { AuditEntrySchema, viewAuditEntry } from "./views.ts";

const AUDIT: Tag = { name: "Audit", description: "Records of changes: who changed what, and when." };

const textOf = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }));
const instantOf = (description: string, example: string) =>
  Type.Optional(Type.String({ format: "date-time", maxLength: 40, description, examples: [example] }));

const QUERY = Body({
  ...PAGE_QUERY,
  resourceId: textOf("Only entries about this resource.", EXAMPLE_IDS.proj),
  userId: textOf(
    "Only changes by this user; or by a git integration, `operator` or `slipway`.",
    EXAMPLE_IDS.user,
  ),
  action: textOf("Only entries of this action.", "domain.deleted"),
  from: instantOf("Only entries at this time or later.", "2026-11-01T00:00:00Z"),
  to: instantOf("Only entries before this time.", "2026-12-01T00:00:00Z"),
});

type Query = Static<typeof QUERY>;

/** How many entries of an export are read at a time. */
const EXPORT_PAGE = 500;

export function registerAuditRoutes(http: Http, { db }: { readonly db: Database }): void {
  const readPart = async ({ organizationId }: Actor, query: Query, page: Page) => {
    const rows = await auditEntries.list(db, organizationId, page, readFilter(query));
    const { items, nextCursor } = makePage(rows, page, (entry) => entry.id);
    return { auditEntries: items.map(viewAuditEntry), nextCursor };
  };

  http.read({
    path: "/v1/audit-entries",
    role: "admin",
    scope: "admin",
    reach: "organization",
    tag: AUDIT,
    summary: "List audit entries",
    description:
      "With `Accept: application/x-ndjson`, all entries that match the filters are streamed, one JSON object on each line, from the cursor on and without `limit`. If the export fails midway, its HTTP message is incomplete.",
    query: QUERY,
    response: ListOf("auditEntries", AuditEntrySchema),
    lineSchema: AuditEntrySchema,
    handle: async ({ actor, query }) => await readPart(actor, query, readPage(query)),
    async *lines({ actor, query, signal }) {
      let page: Page = { ...readPage(query), limit: EXPORT_PAGE };
      while (!signal.aborted) {
        const part = await readPart(actor, query, page);
        yield part.auditEntries;
        if (part.nextCursor === null) return;
        page = { ...page, after: part.nextCursor };
      }
    },
  });
}

function readFilter({ from, to, ...filter }: Query): AuditFilter {
  return { ...filter, from: readInstant(from), to: readInstant(to) };
}

function readInstant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

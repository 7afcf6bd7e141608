import type { Http } from "../../http/http.ts";
import type { Tag } from "../../http/openapi/openapi.ts";
import { ListOf, makePage, PAGE_QUERY, readPage } from "../../http/requests/paging.ts";
import { Body } from "../../http/schemas.ts";
import type { Jobs } from "../../jobs/jobs.ts";
import { isAdmin, visibleTo } from "../../lib/access.ts";
import { getService } from "../projects/queries.ts";
import { OF_PROJECT } from "../projects/routes.ts";
import { getSnapshot } from "./queries.ts";
import { deleteSnapshot, lockSnapshot, takeSnapshot } from "./snapshot-commands.ts";
import { snapshots } from "./snapshot-store.ts";
import type { Snapshot } from "./snapshot.ts";
import { SnapshotSchema, viewSnapshot } from "./views.ts";

export const SNAPSHOTS_TAG: Tag = {
  name: "Snapshots",
  description:
    "Copies of the data of data stores that Slipway created. To restore one, write its id as `snapshot` of a new data store in the configuration, and deploy it.",
};
const tag = SNAPSHOTS_TAG;
const READ = { role: "viewer", scope: "read", tag } as const;
const LIST = ListOf("snapshots", SnapshotSchema);

function accepted(snapshot: Snapshot) {
  return { status: 202, location: `/v1/snapshots/${snapshot.id}`, body: viewSnapshot(snapshot) } as const;
}

export function registerSnapshotRoutes(http: Http, { jobs }: { readonly jobs: Jobs }): void {
  http.write({
    method: "POST",
    path: "/v1/services/:serviceId/snapshots",
    role: "developer",
    scope: "deploy",
    tag,
    operationId: "createSnapshot",
    sdk: "snapshots.create",
    summary: "Take a snapshot of a data store",
    description:
      "Copies the data of a database or a cache that Slipway created, in the background. Read the snapshot with `Prefer: wait`. While the data store is being created, the snapshot waits. The sandbox stops its database while it copies the data.",
    responses: { 202: SnapshotSchema },
    examples: { 202: { status: "CREATING", version: null, sizeBytes: null, failure: null } },
    commit: async ({ tx, actor, params }) => accepted(await takeSnapshot(tx, jobs, actor, params.serviceId)),
  });

  http.read({
    path: "/v1/services/:serviceId/snapshots",
    ...READ,
    operationId: "listSnapshots",
    sdk: "snapshots.list",
    summary: "List the snapshots of a data store",
    query: Body(PAGE_QUERY),
    response: LIST,
    watch: ({ params }) => [params.serviceId],
    handle: async ({ sql, actor, params, query }) => {
      const { organizationId } = actor;
      await getService(sql, organizationId, params.serviceId);
      const page = readPage(query);
      const rows = await snapshots.listOfService(sql, organizationId, params.serviceId, page);
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { snapshots: items.map(viewSnapshot), nextCursor };
    },
  });

  http.read({
    path: "/v1/snapshots",
    ...READ,
    reach: "projects",
    operationId: "listAllSnapshots",
    sdk: "snapshots.listAll",
    summary: "List snapshots",
    description:
      "Lists the snapshots of all projects that the caller may see, with the last ones of deleted data stores. Those of deleted projects are shown to admins of the organization.",
    query: Body({
      ...PAGE_QUERY,
      projectId: OF_PROJECT,
    }),
    response: LIST,
    handle: async ({ sql, actor, query }) => {
      const page = readPage(query);
      const rows = await snapshots.list(sql, actor.organizationId, page, {
        ...query,
        visible: visibleTo(actor),
        showsDeleted: isAdmin(actor),
      });
      const { items, nextCursor } = makePage(rows, page, ({ id }) => id);
      return { snapshots: items.map(viewSnapshot), nextCursor };
    },
  });

  http.read({
    path: "/v1/snapshots/:snapshotId",
    ...READ,
    summary: "Get a snapshot",
    description:
      "A snapshot stays when its data store, environment and project are deleted, until a user deletes it or the connection to its cloud account is deleted. The connection leaves it in the account.",
    response: SnapshotSchema,
    watch: ({ params }) => [params.snapshotId],
    handle: async ({ sql, actor, params }) => viewSnapshot(await getSnapshot(sql, actor, params.snapshotId)),
  });

  http.write({
    method: "DELETE",
    path: "/v1/snapshots/:snapshotId",
    precondition: {
      lock: async ({ tx, actor, params }) =>
        void (await lockSnapshot(tx, actor.organizationId, params.snapshotId)),
    },
    role: "developer",
    scope: "admin",
    tag,
    summary: "Delete a snapshot",
    description:
      "Deletes its data in the cloud account, in the background; until then it is `DELETING`. The request is refused while the snapshot is being taken, and while a data store is being created from it.",
    responses: { 202: SnapshotSchema },
    examples: { 202: { status: "DELETING" } },
    commit: async ({ tx, actor, params }) =>
      accepted(await deleteSnapshot(tx, jobs, actor, params.snapshotId)),
  });
}

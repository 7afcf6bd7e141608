/** Copies of the data of data stores. */
import type { Snapshot } from "../../../sdk/src/index.ts";
import { type Command, ENVIRONMENT, LIMITS, PROJECT, WAITING } from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly } from "../failure.ts";
import { findNamedProject, findService, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, untilGone, waiting } from "../wait.ts";

const ID_EXAMPLE = "snap_01kahza1r6v0y4c8g2j5m9p3s7";

export const SNAPSHOTS: readonly Command[] = [
  {
    words: "snapshots list",
    says: "List snapshots of data stores, newest first",
    more: ["Without STORE: of all data stores, with the last snapshots of deleted ones."],
    arguments: [{ name: "STORE", says: "the data store, by name or id", optional: true }],
    flags: [PROJECT, ENVIRONMENT, ...LIMITS],
    examples: ["slipway snapshots list -p shop", "slipway snapshots list db -p shop -e production"],
    async run(context, input) {
      const { snapshots } = context.client;
      const named = input.optionalArgument("STORE");
      const page = { limit: PAGE, order: "desc" } as const;
      const found =
        named === undefined
          ? snapshots.listAll({ ...page, projectId: await findNamedProject(context, input) })
          : snapshots.list((await findService(context, input, named)).id, page);
      await printList(context, input, found, [
        "id",
        "status",
        { title: "store", of: ({ serviceConfigId }) => serviceConfigId },
        { title: "environment", of: ({ environmentConfigId }) => environmentConfigId },
        "reason",
        { title: "bytes", of: ({ sizeBytes }) => sizeBytes },
        "createdAt",
      ]);
    },
  },
  {
    words: "snapshots create",
    says: "Take a snapshot of a data store that Slipway created",
    more: [
      "To restore it, write its id in slipway.json, as `snapshot` of a new data store of the same type.",
    ],
    arguments: [{ name: "STORE", says: "the data store, by name or id" }],
    flags: [PROJECT, ENVIRONMENT, ...WAITING],
    examples: ["slipway snapshots create db -p shop --wait"],
    async run(context, input) {
      const { client, output } = context;
      const { id: serviceId } = await findService(context, input, input.argument("STORE"));
      let last = await client.snapshots.create(serviceId);
      const { id } = last;
      if (input.isSet("wait"))
        last = await waiting(context, input, `slipway snapshots list ${serviceId}`, (signal) =>
          firstOf(client.snapshots.watch(id, { signal }), ({ status }) => status !== "CREATING"),
        );
      show(output, last);
      if (last.status === "FAILED") throw endedBadly(`The snapshot ${id} failed.`, last.failure?.message);
    },
  },
  {
    words: "snapshots delete",
    says: "Delete a snapshot with its data",
    arguments: [{ name: "ID", says: "the snapshot" }],
    flags: WAITING,
    examples: [`slipway snapshots delete ${ID_EXAMPLE} --yes`],
    async run(context, input) {
      const { client, output, prompt } = context;
      const { id, serviceConfigId } = await client.snapshots.get(input.argument("ID"));
      await prompt.confirm(`Delete the snapshot ${id} of ${serviceConfigId}, with its data?`);
      const deleting = await client.snapshots.delete(id);
      if (input.isSet("wait"))
        await waiting(context, input, "slipway snapshots list", (signal) =>
          untilGone(client.snapshots.watch(id, { signal })),
        );
      show(output, deleting);
    },
  },
];

function show(output: Context["output"], snapshot: Snapshot): void {
  const { failure, serviceConfigId, environmentConfigId, sizeBytes } = snapshot;
  output.item(snapshot, [
    "id",
    "status",
    ["cause", failure?.message],
    ["store", serviceConfigId],
    ["environment", environmentConfigId],
    "type",
    "version",
    "reason",
    ["bytes", sizeBytes],
    "createdAt",
  ]);
}

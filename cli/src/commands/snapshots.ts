/** Copies of the data of data stores. */
import type { Snapshot } from "../../../sdk/src/index.ts";
import {
  type Argument,
  type Command,
  ENVIRONMENT,
  LIMITS,
  ONLY_PROJECT,
  PROJECT,
  WAITING,
} from "../command.ts";
import type { Context } from "../context.ts";
import { endedBadly, UsageError } from "../failure.ts";
import { findNamedProject, findService, PAGE } from "../lookup.ts";
import { printList } from "../print.ts";
import { firstOf, untilGone, waiting } from "../wait.ts";

const SNAPSHOT: Argument = { name: "ID", says: "the snapshot" };
const ID_EXAMPLE = "snap_01kahza1r6v0y4c8g2j5m9p3s7";

export const SNAPSHOTS: readonly Command[] = [
  {
    words: "snapshots list",
    says: "List snapshots of data stores, newest first",
    more: [
      "Without STORE: of all data stores, or of those of the project, with the last snapshots of deleted ones.",
    ],
    arguments: [{ name: "STORE", says: "the data store, by name or id", optional: true }],
    flags: [ONLY_PROJECT, { ...ENVIRONMENT, says: "the environment of STORE, by name or id" }, ...LIMITS],
    examples: ["slipway snapshots list -p shop", "slipway snapshots list db -p shop -e production"],
    async run(context, input) {
      const { snapshots } = context.client;
      const named = input.optionalArgument("STORE");
      if (named === undefined && input.isSet("environment"))
        throw new UsageError("--environment is for STORE. Give the name of a data store, too.");
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
    words: "snapshots show",
    says: "Show a snapshot",
    arguments: [SNAPSHOT],
    examples: [`slipway snapshots show ${ID_EXAMPLE}`],
    run: async ({ client, output }, input) => show(output, await client.snapshots.get(input.argument("ID"))),
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
        last = await waiting(context, input, `slipway snapshots show ${id}`, (signal) =>
          firstOf(client.snapshots.watch(id, { signal }), ({ status }) => status !== "CREATING"),
        );
      show(output, last);
      if (last.status === "FAILED") throw endedBadly(`The snapshot ${id} failed.`, last.failure?.message);
    },
  },
  {
    words: "snapshots delete",
    says: "Delete a snapshot with its data",
    arguments: [SNAPSHOT],
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

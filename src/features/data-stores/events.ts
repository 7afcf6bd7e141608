import { Type } from "typebox";
import { Id, Text, Words } from "../../http/schemas.ts";
import { STORE_TYPES } from "../../cloud/data-stores.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";
import { SNAPSHOT_REASONS } from "./snapshot.ts";

const STORE = {
  service: Text("The service's id in the configuration.", "db"),
  type: Words(STORE_TYPES, { description: "Its type.", examples: ["postgres"] }),
};
const SNAPSHOT = {
  ...STORE,
  snapshotId: Id("snap", "The snapshot."),
  reason: Words(SNAPSHOT_REASONS, {
    description: "`final`: it was taken before its data store was deleted.",
    examples: ["manual"],
  }),
};

export const DATA_STORE_EVENTS = declareEvents({
  "data_store.created": {
    subject: "service",
    description: "A data store that Slipway created is available.",
    data: Type.Object(STORE),
  },
  "data_store.failed": {
    subject: "service",
    description: "A data store could not be created. Slipway tries again.",
    data: Type.Object({ ...STORE, error: CodedErrorSchema }),
  },
  "data_store.stopped": {
    subject: "service",
    description: "An available data store does not work any longer. Slipway checks it again.",
    data: Type.Object({ ...STORE, error: CodedErrorSchema }),
  },
  "data_store.recovered": {
    subject: "service",
    description: "A data store that had stopped works again.",
    data: Type.Object(STORE),
  },
  "data_store.deleted": {
    subject: "service",
    description:
      "A removed data store is deleted. Nothing of it is left in the cloud account except its snapshots.",
    data: Type.Object(STORE),
  },
  "data_store.deletion_failed": {
    subject: "service",
    description: "A removed data store could not be deleted. Slipway tries again.",
    data: Type.Object({ ...STORE, error: CodedErrorSchema }),
  },
  "snapshot.created": {
    subject: "service",
    description: "A snapshot of a data store is complete. A new data store can be created from it.",
    data: Type.Object(SNAPSHOT),
  },
  "snapshot.failed": {
    subject: "service",
    description: "A snapshot of a data store could not be taken.",
    data: Type.Object({ ...SNAPSHOT, error: CodedErrorSchema }),
  },
});

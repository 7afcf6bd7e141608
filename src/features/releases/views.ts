import { Type } from "typebox";
import { STORE_TYPES } from "../../cloud/data-stores.ts";
import { Id, Instant, Nullable, Text, viewAs, Words } from "../../http/schemas.ts";
import type { StoreDeletion } from "./removal.ts";

const StoreDeletionSchema = Type.Object(
  {
    serviceId: Id("svc", "The data store, whose service was removed."),
    serviceConfigId: Nullable(Text("Its id in the configuration, if it is known.", "files")),
    environmentId: Id("env", "Its environment; it may be deleted."),
    environmentConfigId: Nullable(
      Text("The environment's id in the configuration, if it is known.", "production"),
    ),
    type: Words(STORE_TYPES, { title: "StoreType", description: "Its type.", examples: ["bucket"] }),
    requestedAt: Instant("When its service was removed."),
    failure: Nullable(
      Type.Object(
        {
          code: Text("The cause, for programs.", "NOT_DELETED"),
          message: Text("The cause, and what to do.", "The bucket is not empty. Delete its files."),
        },
        {
          title: "StoreDeletionFailure",
          description:
            "Why the last attempt failed; null while none did. Slipway tries again until it is deleted.",
        },
      ),
    ),
  },
  { title: "DataStoreDeletion", description: "A removed data store that is being deleted." },
);

export const StoreDeletionsSchema = Type.Object(
  {
    dataStoreDeletions: Type.Array(StoreDeletionSchema, { description: "In the order of their ids." }),
  },
  { title: "DataStoreDeletionList", description: "The removed data stores of a project." },
);

export function viewStoreDeletion({ configId, storeType: type, ...deletion }: StoreDeletion) {
  const requestedAt = deletion.requestedAt.toISOString();
  return viewAs(StoreDeletionSchema, { ...deletion, serviceConfigId: configId, type, requestedAt });
}

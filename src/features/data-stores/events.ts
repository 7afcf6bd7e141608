import { Type } from "typebox";
import { Text, Words } from "../../http/schemas.ts";
import { STORE_TYPES } from "../../cloud/data-stores.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";

const STORE = {
  service: Text("The service's id in the configuration.", "db"),
  type: Words(STORE_TYPES, { description: "Its type.", examples: ["postgres"] }),
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
});

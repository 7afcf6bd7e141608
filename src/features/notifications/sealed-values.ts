import { sealedColumns } from "../../db/sealed-columns.ts";
import { urlIdentity } from "./channel.ts";

/** The URLs of all channels, for re-sealing after a key rotation. */
export const sealedValuesOfNotifications = sealedColumns("notification_channels", {
  sealed_url: urlIdentity,
});

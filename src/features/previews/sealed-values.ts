import { sealedColumns } from "../../db/sealed-columns.ts";
import { accessKeyIdentity } from "./preview-access.ts";

/** The keys of the gates of previews, for re-sealing after a key rotation. */
export const sealedValuesOfPreviews = sealedColumns("preview_access", { sealed_key: accessKeyIdentity });

import { sealedColumns } from "../../db/sealed-columns.ts";
import { hookIdentity, tokenIdentity } from "./git-integration.ts";

/** The tokens and hook secrets of all integrations, for re-sealing after a key rotation. */
export const sealedValuesOfIntegrations = sealedColumns("git_integrations", {
  sealed_token: tokenIdentity,
  sealed_hook_secret: hookIdentity,
});

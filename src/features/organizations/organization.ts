import type { Credential, CREDENTIAL_KINDS } from "../../lib/actor.ts";
import type { ApiKey } from "../api-keys/api-key.ts";
import type { ShownUser } from "../users/user.ts";

export type Organization = { readonly id: string; readonly name: string; readonly createdAt: Date };

/** Who makes a request, and by what it is known. */
export type Caller = {
  readonly organization: Organization;
  readonly user: ShownUser;
  /** Null in a session, and of a workload. */
  readonly apiKey: ApiKey | null;
  readonly credential: Credential & { readonly kind: (typeof CREDENTIAL_KINDS)[number] };
};

import { createHash } from "node:crypto";
import type { ManagedKind, VariableScope } from "./env-variable.ts";

/**
 * The name of a managed value in the customer's cloud. It consists of ids, because project names repeat
 * (also between organizations in one account) and change. Ids and variable names only contain letters, digits
 * and `_`, so the name is valid in both stores, and a secret's name cannot end in a hyphen and six
 * characters, which Secrets Manager warns against. At most 360 characters and five levels (SSM: 1,011 and 15).
 * The cloud lets previews read only the folder `previews` of their template.
 */
export function cloudNameOf(
  scope: VariableScope,
  kind: ManagedKind,
  name: string,
  inPreviews: boolean,
): string {
  const { projectId, environmentId, serviceId } = scope;
  const folders = [...(inPreviews ? ["previews"] : []), ...(serviceId === null ? [] : [serviceId])];
  const path = ["slipway", projectId, environmentId, ...folders, name];
  return kind === "parameterStore" ? `/${path.join("/")}` : path.join("/");
}

const NAMESPACE = Buffer.from("6f0f5cf0d2a54f6e9a2b7c1d3e5f7a90", "hex");

/**
 * The token of one intent: a UUIDv5 (RFC 9562, section 5.5) of run and name. Every repetition of the
 * call has the same token, so the store creates one version. Secrets Manager uses it as VersionId.
 */
export function tokenOf(runId: string, name: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(`${runId}/${name}`).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

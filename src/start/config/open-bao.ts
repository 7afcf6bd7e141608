import { isLoopbackUrl, type Values } from "./values.ts";

/** OpenBao or Vault as the store of an own server's managed values. */
export type OpenBaoSettings = NonNullable<ReturnType<typeof readOpenBao>>;

/** Null if no address is set. */
export function readOpenBao({ text, url, problems }: Values) {
  const address = url("SLIPWAY_VAULT_ADDRESS", ["https:", "http:"]);
  if (address === null) return null;
  if (address.startsWith("http:") && !isLoopbackUrl(address)) {
    problems.push(
      "SLIPWAY_VAULT_ADDRESS begins with http:// and is not on this machine: values would be sent in clear text. Use https://.",
    );
  }
  const mount = text("SLIPWAY_VAULT_MOUNT") ?? "secret";
  if (!/^[\w-]+(?:\/[\w-]+)*$/.test(mount))
    problems.push(
      `SLIPWAY_VAULT_MOUNT is "${mount}"; it must be the path of a secrets engine KV, such as secret.`,
    );
  const tokenFile = text("SLIPWAY_VAULT_TOKEN_FILE");
  const [roleId, secretId] = [text("SLIPWAY_VAULT_ROLE_ID"), text("SLIPWAY_VAULT_SECRET_ID")];
  const hasRole = roleId !== null && secretId !== null;
  if (hasRole === (tokenFile !== null) || (roleId === null) !== (secretId === null)) {
    problems.push(
      "SLIPWAY_VAULT_ADDRESS is set: set either SLIPWAY_VAULT_TOKEN_FILE to a file with a token, or both SLIPWAY_VAULT_ROLE_ID and SLIPWAY_VAULT_SECRET_ID of an AppRole.",
    );
  }
  return {
    address: address.replace(/\/+$/, ""),
    mount,
    login: hasRole
      ? ({ kind: "app-role", path: "approle", roleId, secretId } as const)
      : ({ kind: "token", file: tokenFile ?? "" } as const),
  };
}

/**
 * External ids that a role must refuse, in addition to none: the connection's own id with another last, and with
 * another first character. Both look like our ids. They detect a trust policy that accepts everything that begins
 * with `aws_` (or more of the id), or that ends like the id. Pure.
 */
export function wrongExternalIds(connectionId: string): readonly string[] {
  const first = connectionId.indexOf("_") + 1;
  return [connectionId.length - 1, first].map(
    (at) =>
      connectionId.slice(0, at) + (connectionId.charAt(at) === "0" ? "1" : "0") + connectionId.slice(at + 1),
  );
}

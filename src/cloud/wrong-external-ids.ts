/**
 * External ids that a role must refuse, beside none at all: the connection's own with another last and with another
 * first character. Both have the form of our ids, so a trust policy that takes whatever begins with `aws_`, or with more
 * of the id, is found out; so is one that takes whatever ends like it. Pure.
 */
export function wrongExternalIds(connectionId: string): readonly string[] {
  const first = connectionId.indexOf("_") + 1;
  return [connectionId.length - 1, first].map(
    (at) =>
      connectionId.slice(0, at) + (connectionId.charAt(at) === "0" ? "1" : "0") + connectionId.slice(at + 1),
  );
}

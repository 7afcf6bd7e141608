/** The cookies that Slipway sets, for programs that pass requests on: a browser sends cookies to every port of a host. */
const OWN = /^(?:__Host-)?slipway(?:-[a-z-]+)?$/;

/** A `Cookie` header without Slipway's own cookies; undefined if nothing is left. */
export function withoutOwnCookies(header: string | undefined): string | undefined {
  const others = (header ?? "").split(";").filter((one) => !OWN.test(one.split("=", 1)[0]?.trim() ?? ""));
  return others.join(";").trim() || undefined;
}

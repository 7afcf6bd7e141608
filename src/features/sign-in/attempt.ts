/** A sign-in on its way to a provider and back, in a sealed cookie: it needs no row, and no process remembers it. */
import type { Attempt } from "../../oidc/provider.ts";
import type { AtRestSealing } from "../../sealing/at-rest.ts";
import { Secret } from "../../sealing/secret.ts";
import { SealingError } from "../../sealing/sealing-error.ts";

/** How long a person may take at the provider, in seconds. */
export const ATTEMPT_SECONDS = 600;

export type SignInAttempt = {
  readonly provider: string;
  readonly returnTo: string;
  readonly startedAtMs: number;
  readonly attempt: Attempt;
};

const PURPOSE = ["sign-in"];

export async function sealAttempt(atRest: AtRestSealing, attempt: SignInAttempt): Promise<string> {
  const sealed = await atRest.seal(PURPOSE, new Secret(JSON.stringify(attempt)));
  return Buffer.from(sealed).toString("base64url");
}

/** Null if it is not ours, is of another provider, or took too long. */
export async function openAttempt(
  atRest: AtRestSealing,
  sealed: string | null,
  provider: string,
): Promise<SignInAttempt | null> {
  if (sealed === null) return null;
  try {
    const opened = await atRest.open(PURPOSE, Buffer.from(sealed, "base64url"));
    const attempt = JSON.parse(opened.reveal()) as SignInAttempt;
    const isInTime = attempt.startedAtMs + ATTEMPT_SECONDS * 1_000 > Date.now();
    return isInTime && attempt.provider === provider ? attempt : null;
  } catch (error) {
    if (error instanceof SealingError) return null;
    throw error;
  }
}

/** A path of ours, whatever was asked for, so that no link leads elsewhere after signing in. */
export function localPath(asked: string | undefined, publicUrl: string): string {
  const ours = new URL(publicUrl).origin;
  if (asked?.startsWith("/") !== true || !URL.canParse(asked, ours)) return "/";
  const { origin, pathname, search, hash } = new URL(asked, ours);
  const path = pathname + search + hash;
  // The browser reads what is sent once more: the path of `/.//evil.example` is `//evil.example`, another host.
  const isOurs = URL.canParse(path, ours) && new URL(path, ours).href === `${ours}${path}`;
  return origin === ours && isOurs ? path : "/";
}

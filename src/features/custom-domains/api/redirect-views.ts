import { Type } from "typebox";
import { Instant, Nullable, Text, Words } from "../../../http/schemas.ts";
import {
  type Domain,
  REDIRECT_PROBLEM_CODES,
  REDIRECT_STATUSES,
  type RedirectProblem,
  type RedirectStatus,
} from "../custom-domain.ts";

/** What a domain shows of its redirect. */
export const REDIRECT_FIELDS = {
  redirectTo: Nullable(
    Text("The name of its group to which it is to redirect; null: it is shown itself.", "example.com"),
  ),
  redirectStatus: Nullable(
    Words(REDIRECT_STATUSES, {
      title: "RedirectStatus",
      description:
        "`SERVED` once the edge was seen to redirect everywhere. `PENDING`: not everywhere yet, or one of the two names is not `ATTACHED`. `ENDING`: it may still redirect somewhere. `FAILED`: see `redirectProblem`. Null: it does not redirect, or is being deleted.",
      examples: ["SERVED"],
    }),
  ),
  redirectProblem: Nullable(
    Type.Object(
      {
        code: Words(REDIRECT_PROBLEM_CODES, {
          title: "RedirectProblemCode",
          description: "Why, for programs.",
          examples: ["ACCESS_DENIED"],
        }),
        message: Text(
          "What the cloud refused.",
          "The role of the connected account does not allow cloudfront:CreateFunction.",
        ),
        action: Text("What to do.", "Update the connection's stack; Slipway tries again every ten minutes."),
        since: Instant("Since when.", "2026-11-23T09:30:12.000Z"),
      },
      { title: "RedirectProblem", description: "Why a domain does not redirect as wanted." },
    ),
  ),
};

export function viewRedirect(domain: Domain) {
  return {
    redirectTo: domain.redirectTo,
    redirectStatus: redirectStatusOf(domain),
    redirectProblem: viewRedirectProblem(domain),
  };
}

/** The status of a redirect as the edge is known to serve it, not as the client wants it. */
function redirectStatusOf({
  isWanted,
  status,
  redirectTo,
  isRedirectLive,
  redirectProblem,
}: Domain): RedirectStatus | null {
  if (!isWanted) return null;
  if (status !== "ATTACHED" || isRedirectLive) {
    if (redirectTo === null) return null;
    return status === "ATTACHED" ? "SERVED" : "PENDING";
  }
  if (redirectProblem !== null) return "FAILED";
  return redirectTo === null ? "ENDING" : "PENDING";
}

const REDIRECT_ACTIONS: Readonly<Record<RedirectProblem["code"], string>> = {
  ACCESS_DENIED:
    "Update the stack of the account's connection to the newest template. Slipway tries again every ten minutes.",
  TOO_MANY_REDIRECTS:
    "Let fewer domains redirect, or have the quota raised. Slipway tries again every ten minutes.",
  REDIRECTS_REFUSED:
    "Do what the message says is in the way, or set redirectTo to null. Slipway tries again every ten minutes.",
};

function viewRedirectProblem({ isWanted, isRedirectLive, redirectProblem: problem }: Domain) {
  if (!isWanted || isRedirectLive || problem === null) return null;
  const { code, message, since } = problem;
  return { code, message, action: REDIRECT_ACTIONS[code], since };
}

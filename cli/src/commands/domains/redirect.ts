import type { Domain } from "../../../../sdk/src/index.ts";
import { findDomain } from "../../find/domain.ts";
import { CommandError, EXIT } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import { waiting } from "../wait.ts";

/** Without a target, the redirect ends. */
export const redirectDomain: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const { id, name } = await findDomain(context, input.argument("DOMAIN"));
  const target = input.optionalArgument("TARGET") ?? null;
  const changed = await client.domains.update(id, { redirectTo: target }, { signal });
  if (changed.redirectStatus === "ENDING" || changed.redirectStatus === "PENDING")
    output.progress(`${name}: the edge is being changed.`);
  const command = ["slipway domains redirect", name, ...(target === null ? [] : [target]), "--wait"].join(
    " ",
  );
  const domain = input.isSet("wait")
    ? await waiting(context, input, command, async (over) => {
        for await (const one of client.domains.watch(id, { signal: over })) if (isOver(one)) return one;
        throw new Error("A watch does not end.");
      })
    : changed;
  if (domain.redirectProblem !== null) {
    const { message, action } = domain.redirectProblem;
    throw new CommandError(message, {
      code: domain.redirectProblem.code,
      exitCode: EXIT.FAILED,
      hint: action,
    });
  }
  output.item(domain, redirectLines(domain));
};

/** The lines to print about a domain's redirect: label and text. */
export function redirectLines(domain: Domain): readonly (readonly [string, string])[] {
  const { name, redirectTo, redirectStatus, redirectProblem } = domain;
  if (redirectStatus === null) return [[name, "redirects to no other name"]];
  const wanted = redirectTo === null ? "no other name" : redirectTo;
  return [
    ["redirects to", `${wanted} (${redirectStatus})`],
    ...(redirectProblem === null ? [] : [["found wrong", redirectProblem.message] as const]),
  ];
}

function isOver({ redirectStatus }: Domain): boolean {
  return redirectStatus === null || redirectStatus === "SERVED" || redirectStatus === "FAILED";
}

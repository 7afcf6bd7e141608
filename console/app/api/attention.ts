/** What needs attention in a project, in words. Pure. */
import type { Attention } from "../../../sdk/src/generated/types.ts";

type AttentionWords = {
  readonly text: string;
  readonly tone: "bad" | "todo";
  /** The words of the link to the page where it is solved. */
  readonly action: string;
};

/** What each tone is called. */
export const ATTENTION_KINDS: Readonly<Record<AttentionWords["tone"], string>> = {
  bad: "Problem",
  todo: "To do",
};

// A newer server may have further codes.
const OTHER: AttentionWords = { text: "Something needs attention", tone: "todo", action: "Open the project" };

export function describeAttention({ code, count }: Pick<Attention, "code" | "count">): AttentionWords {
  const of = (one: string, several: string) => `${count} ${count === 1 ? one : several}`;
  const words: Readonly<Record<string, AttentionWords>> = {
    ACCOUNT_NOT_CONNECTED: {
      text: "The cloud account is not connected",
      tone: "bad",
      action: "Connect it",
    },
    DEPLOYMENT_FAILED: { text: "The last deployment failed", tone: "bad", action: "See why" },
    APPROVAL_AWAITED: { text: "A deployment waits for an approval", tone: "todo", action: "Review" },
    FORK_AWAITS_APPROVAL: {
      text: of("commit of a fork waits for an approval", "commits of forks wait for an approval"),
      tone: "todo",
      action: "Review",
    },
    DOMAINS_IN_ERROR: {
      text: of("domain has an error", "domains have an error"),
      tone: "bad",
      action: "See the error",
    },
    DOMAINS_AWAIT_RECORDS: {
      text: of("domain waits for DNS records", "domains wait for DNS records"),
      tone: "todo",
      action: "See the records",
    },
    REDEPLOY_PENDING: {
      text: of("service runs without new variables", "services run without new variables"),
      tone: "todo",
      action: "Redeploy",
    },
  };
  return words[code] ?? OTHER;
}

/** @param environment its name; null if it is about the whole project */
export function formatAttention(attention: Attention, environment: string | null): string {
  const { text } = describeAttention(attention);
  return environment === null ? text : `${text} (${environment})`;
}

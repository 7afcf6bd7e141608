/**
 * Deliveries of GitHub and GitLab about pushes and pull requests, and how each is signed. Pure. GitHub:
 * docs.github.com/webhooks/webhook-events-and-payloads#push, #pull_request and
 * …/using-webhooks/validating-webhook-deliveries; GitLab: docs.gitlab.com/user/project/integrations/webhook_events and
 * …/webhooks (secret token, delivery headers).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { GitProvider } from "../../git/git.ts";
import type { NextTurn } from "../../lib/pace/turns.ts";
import type { Secret } from "../../sealing/secret.ts";

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Texts of a body, by their place in it. */
export type Texts = ReadonlyMap<string, string>;

export type Delivery = {
  /** The repository's addresses in the body; the first that parses counts. */
  readonly repoUrls: readonly string[];
  /** Null if the event is not a push to a branch, or if the push deletes the branch. */
  readonly push: { readonly branch: string; readonly commit: string } | null;
  /** The number of the pull request that the event is about; null if it is about none. */
  readonly pullRequest: number | null;
  /** The host's own id, the same in a retry; null if it sends none. */
  readonly id: string | null;
};

/** Reads a delivery from its headers and the texts of its body; null when it names no repository. */
export function readDelivery(provider: GitProvider, headers: Headers, texts: Texts): Delivery | null {
  const dialect = dialectOf(provider);
  const repoUrls = dialect.urls.flatMap((place) => texts.get(place) ?? []);
  if (repoUrls.length === 0) return null;
  const event = header(headers, dialect.eventHeader);
  const isSystem = dialect === GITLAB && event === GITLAB_SYSTEM_HOOK;
  const isPush = event === dialect.pushEvent || (isSystem && texts.get("event_name") === "push");
  const isPullRequest =
    event === dialect.pullRequestEvent || (isSystem && texts.get("object_kind") === "merge_request");
  const id = dialect.idHeaders.map((name) => header(headers, name)).find((found) => found !== null) ?? null;
  return {
    repoUrls,
    push: isPush ? readPush(texts) : null,
    pullRequest: isPullRequest ? readNumber(texts.get(dialect.pullRequestUrl)) : null,
    id: id === null ? null : id.slice(0, 200),
  };
}

/** The places of the texts that `readDelivery` needs. */
export function placesOf(provider: GitProvider): ReadonlySet<string> {
  const { urls, pullRequestUrl } = dialectOf(provider);
  return new Set([...urls, pullRequestUrl, "ref", "after", "event_name", "object_kind"]);
}

function dialectOf(provider: GitProvider): typeof GITHUB {
  return provider === "provider_a" ? GITHUB : GITLAB;
}

const GITHUB = {
  urls: ["repository/clone_url", "repository/html_url", "repository/url"],
  eventHeader: "x-github-event",
  pushEvent: "push",
  pullRequestEvent: "pull_request",
  pullRequestUrl: "pull_request/html_url",
  idHeaders: ["x-github-delivery"],
};
const GITLAB = {
  urls: ["project/git_http_url", "project/http_url", "project/web_url"],
  eventHeader: "x-gitlab-event",
  pushEvent: "Push Hook",
  pullRequestEvent: "Merge Request Hook",
  pullRequestUrl: "object_attributes/url",
  // Of these two, only the first stays the same when GitLab retries.
  idHeaders: ["idempotency-key", "x-gitlab-event-uuid"],
};

/** A hook of a whole GitLab: docs.gitlab.com/administration/system_hooks. Its kind is in its body. */
const GITLAB_SYSTEM_HOOK = "System Hook";

const BRANCH = /^refs\/heads\/(.{1,255})$/s;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function readPush(texts: Texts): Delivery["push"] {
  const branch = BRANCH.exec(texts.get("ref") ?? "")?.[1];
  const commit = texts.get("after");
  // A deleted branch has no commit.
  if (branch === undefined || commit === undefined || !COMMIT.test(commit) || /^0+$/.test(commit))
    return null;
  return { branch, commit };
}

/** The number at the end of a pull request's address: the bodies' own numbers are not texts. */
function readNumber(url: string | undefined): number | null {
  const number = /\/(?:pull|merge_requests)\/([1-9][0-9]{0,8})$/.exec(url ?? "")?.[1];
  return number === undefined ? null : Number(number);
}

/** The forms of GitHub's signature and of our secrets. */
const GITHUB_SIGNATURE = /^sha256=[0-9a-f]{64}$/;
const HOOK_SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Whether a delivery carries a signature of the right form. If not, it is refused before its body is read. */
export function looksSigned(provider: GitProvider, headers: Headers): boolean {
  return provider === "provider_a"
    ? GITHUB_SIGNATURE.test(header(headers, SIGNATURE_HEADER) ?? "")
    : HOOK_SECRET.test(header(headers, TOKEN_HEADER) ?? "");
}

/** Whether a delivery was signed with a secret. The comparison takes constant time. */
export async function isSigned(
  provider: GitProvider,
  headers: Headers,
  body: readonly Uint8Array[],
  secret: Secret,
  nextTurn: NextTurn,
): Promise<boolean> {
  if (provider !== "provider_a")
    return equalInConstantTime(header(headers, TOKEN_HEADER) ?? "", secret.reveal());
  const hmac = createHmac("sha256", secret.reveal());
  for (const block of body) {
    await nextTurn();
    hmac.update(block);
  }
  return equalInConstantTime(header(headers, SIGNATURE_HEADER) ?? "", `sha256=${hmac.digest("hex")}`);
}

const SIGNATURE_HEADER = "x-hub-signature-256";
const TOKEN_HEADER = "x-gitlab-token";

function header(headers: Headers, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Compares in constant time. */
function equalInConstantTime(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}

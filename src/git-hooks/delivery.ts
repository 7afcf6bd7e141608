/**
 * What a git host delivers when something was pushed, in the two dialects that we know, and how each is
 * signed. Pure. GitHub: docs.github.com/webhooks/webhook-events-and-payloads#push and
 * …/using-webhooks/validating-webhook-deliveries; GitLab: docs.gitlab.com/user/project/integrations/webhook_events
 * and …/webhooks (secret token, delivery headers).
 */
import { createHmac } from "node:crypto";
import type { GitProvider } from "../git/git.ts";
import { equalInConstantTime } from "../git-integrations/hook-secret.ts";
import type { Secret } from "../sealing/secret.ts";

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Delivery = {
  /** As the repository names itself; the first that parses counts. */
  readonly repoUrls: readonly string[];
  /** Null for an event that is no push to a branch, or one that deletes it. */
  readonly push: { readonly branch: string; readonly commit: string } | null;
  /** The host's own id, the same when it delivers again; null where it sends none. */
  readonly id: string | null;
};

/** Reads a delivery of a provider; null when it names no repository. */
export function readDelivery(provider: GitProvider, headers: Headers, body: unknown): Delivery | null {
  const dialect = provider === "provider_a" ? GITHUB : GITLAB;
  const repository = objectOf(member(body, dialect.repository));
  const repoUrls = dialect.urls.flatMap((name) => textOf(repository[name]) ?? []);
  if (repoUrls.length === 0) return null;
  const isPush = header(headers, dialect.eventHeader) === dialect.pushEvent;
  const id = dialect.idHeaders.map((name) => header(headers, name)).find((found) => found !== null) ?? null;
  return { repoUrls, push: isPush ? readPush(body) : null, id: id === null ? null : id.slice(0, 200) };
}

const GITHUB = {
  repository: "repository",
  urls: ["clone_url", "html_url", "url"],
  eventHeader: "x-github-event",
  pushEvent: "push",
  idHeaders: ["x-github-delivery"],
};
const GITLAB = {
  repository: "project",
  urls: ["git_http_url", "http_url", "web_url"],
  eventHeader: "x-gitlab-event",
  pushEvent: "Push Hook",
  // Of these two only the first is the same when GitLab tries again.
  idHeaders: ["idempotency-key", "x-gitlab-event-uuid"],
};

const BRANCH = /^refs\/heads\/(.{1,255})$/s;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function readPush(body: unknown): Delivery["push"] {
  const branch = BRANCH.exec(textOf(member(body, "ref")) ?? "")?.[1];
  const commit = textOf(member(body, "after"));
  // A branch that is deleted is at no commit.
  if (branch === undefined || commit === null || !COMMIT.test(commit) || /^0+$/.test(commit)) return null;
  return { branch, commit };
}

/** Whether a delivery was signed with a secret. Takes the same time wherever a wrong signature differs. */
export function isSigned(
  provider: GitProvider,
  headers: Headers,
  rawBody: Uint8Array,
  secret: Secret,
): boolean {
  if (provider === "provider_a") {
    const digest = createHmac("sha256", secret.reveal()).update(rawBody).digest("hex");
    return equalInConstantTime(header(headers, "x-hub-signature-256") ?? "", `sha256=${digest}`);
  }
  return equalInConstantTime(header(headers, "x-gitlab-token") ?? "", secret.reveal());
}

function header(headers: Headers, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function member(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

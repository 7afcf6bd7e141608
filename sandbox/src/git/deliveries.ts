/** Deliveries of the sandbox's git host about pull requests, in the forms of GitHub and GitLab. */
import { createHmac, randomUUID } from "node:crypto";
import type { GitProvider } from "../../../src/git/git.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import { GIT_HOST } from "../dns/names.ts";
import type { SandboxState } from "../state.ts";
import type { GitFaults } from "./git-faults.ts";
import type { PullRequest, PullRequestAction } from "./pull-requests.ts";

export type Hook = {
  readonly provider: GitProvider;
  /** Of the git integration that receives the deliveries. */
  readonly secret: string;
};

/** A delivery that was sent, or would have been. */
export type SentDelivery = {
  readonly id: string;
  readonly number: number;
  readonly action: PullRequestAction;
  /** ISO 8601 */
  readonly sentAt: string;
  /** Slipway's answer; null if there was none. */
  readonly status: number | null;
};

export type Deliveries = {
  setHook(repository: string, hook: Hook): void;
  removeHook(repository: string): void;
  /** The repositories that have one. */
  listHooked(): readonly string[];
  /** Sends a delivery after those before it, if the repository has a hook. */
  send(pullRequest: PullRequest, action: PullRequestAction): void;
  /** The last deliveries of a repository, the newest last. */
  list(repository: string): readonly SentDelivery[];
  stop(): void;
};

const SENT_MAX = 100;
const TIMEOUT_MS = 10_000;
/** How long a reordered delivery waits for the next one, which may come late from a busy machine. */
const HELD_MS = 5_000;

type Delivery = {
  readonly pullRequest: PullRequest;
  readonly action: PullRequestAction;
  readonly id: string;
};

/** @param options.hookUrl where Slipway takes deliveries of a provider */
export function openDeliveries(options: {
  readonly state: SandboxState;
  readonly faults: GitFaults;
  readonly hookUrl: (provider: Hook["provider"]) => string;
  readonly now: () => number;
  readonly log: SandboxLog;
}): Deliveries {
  const { faults, hookUrl, now, log } = options;
  const hooks = options.state.collection<Hook>("git-hooks");
  const sent = new Map<string, readonly SentDelivery[]>();
  const queues = new Map<string, Promise<void>>();
  const held = new Map<string, { readonly delivery: Delivery; readonly timer: NodeJS.Timeout }>();
  const stopping = new AbortController();

  function enqueue(delivery: Delivery): void {
    const { repository } = delivery.pullRequest;
    const before = queues.get(repository) ?? Promise.resolve();
    queues.set(
      repository,
      before.then(() => post(delivery)),
    );
  }

  async function post({ pullRequest, action, id }: Delivery): Promise<void> {
    const { repository, number } = pullRequest;
    const hook = hooks.get(repository);
    if (hook === undefined || stopping.signal.aborted) return;
    const { headers, body } = formOf(hook, pullRequest, action, id);
    let status: number | null = null;
    try {
      const answer = await fetch(hookUrl(hook.provider), {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        redirect: "error",
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer.body?.cancel();
      ({ status } = answer);
    } catch (error) {
      // As from a real host, the delivery is lost.
      if (!stopping.signal.aborted)
        log.warn({ err: error, repository, number, action }, "A delivery did not reach Slipway");
    }
    const entry = { id, number, action, sentAt: new Date(now()).toISOString(), status };
    sent.set(repository, [...(sent.get(repository) ?? []), entry].slice(-SENT_MAX));
  }

  function release(repository: string): void {
    const waiting = held.get(repository);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    held.delete(repository);
    enqueue(waiting.delivery);
  }

  return {
    setHook: (repository, hook) => hooks.put(repository, hook),
    removeHook: (repository) => hooks.delete(repository),
    listHooked: () => [...hooks.keys()],
    send(pullRequest, action) {
      const { repository } = pullRequest;
      if (hooks.get(repository) === undefined) return;
      const delivery = { pullRequest, action, id: randomUUID() };
      const fault = faults.strike("deliveries.send", repository);
      if (fault === "dropped") return;
      if (fault === "reordered" && !held.has(repository)) {
        held.set(repository, { delivery, timer: setTimeout(() => release(repository), HELD_MS) });
        return;
      }
      enqueue(delivery);
      if (fault === "duplicated") enqueue(delivery);
      release(repository);
    },
    list: (repository) => sent.get(repository) ?? [],
    stop() {
      stopping.abort();
      for (const { timer } of held.values()) clearTimeout(timer);
    },
  };
}

/** GitLab has fewer actions: https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events */
const GITLAB_ACTIONS: Readonly<Record<PullRequestAction, string>> = {
  opened: "open",
  reopened: "reopen",
  closed: "close",
  synchronize: "update",
  labeled: "update",
  edited: "update",
};

/** A delivery as its host sends it, with the fields that describe a pull request. */
function formOf(
  { provider, secret }: Hook,
  pullRequest: PullRequest,
  action: PullRequestAction,
  id: string,
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  if (provider === "provider_a") {
    const body = JSON.stringify(githubBody(pullRequest, action));
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = {
      "x-github-event": "pull_request",
      "x-github-delivery": id,
      "x-hub-signature-256": `sha256=${signature}`,
    };
    return { headers, body };
  }
  const headers = { "x-gitlab-event": "Merge Request Hook", "x-gitlab-token": secret, "idempotency-key": id };
  return { headers, body: JSON.stringify(gitlabBody(pullRequest, action)) };
}

function githubBody(one: PullRequest, action: PullRequestAction): object {
  const { number, title, author, head, headCommit, headRepository, base, labels, state, repository } = one;
  const url = addressOf(repository);
  return {
    action,
    number,
    pull_request: {
      html_url: `${url}/pull/${number}`,
      number,
      state: state === "open" ? "open" : "closed",
      merged: state === "merged",
      title,
      user: author === null ? null : { login: author },
      labels: labels.map((name) => ({ name })),
      head: { ref: head, sha: headCommit, repo: { full_name: headRepository ?? repository } },
      base: { ref: base, repo: { full_name: repository } },
    },
    repository: { full_name: repository, html_url: url, clone_url: `${url}.git` },
  };
}

function gitlabBody(one: PullRequest, action: PullRequestAction): object {
  const { number, title, author, head, headCommit, headRepository, base, labels, state, repository } = one;
  const url = addressOf(repository);
  return {
    object_kind: "merge_request",
    event_type: "merge_request",
    user: author === null ? null : { username: author },
    project: { path_with_namespace: repository, web_url: url, git_http_url: `${url}.git` },
    object_attributes: {
      iid: number,
      title,
      state: state === "open" ? "opened" : state,
      action: action === "closed" && state === "merged" ? "merge" : GITLAB_ACTIONS[action],
      source_branch: head,
      target_branch: base,
      source: { path_with_namespace: headRepository ?? repository },
      last_commit: { id: headCommit },
      url: `${url}/-/merge_requests/${number}`,
    },
    labels: labels.map((name) => ({ title: name })),
  };
}

/** Where a repository is for people. Nothing listens there. */
function addressOf(repository: string): string {
  return `https://${GIT_HOST}/${repository}`;
}

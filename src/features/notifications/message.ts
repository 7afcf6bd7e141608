/** What a message says, before it has the form of a receiver. Only names, codes and messages of events are in it. */
import { cutText } from "../../lib/cut-text.ts";
import { toOneLine } from "../../lib/shown-text.ts";
import type { DeclaredEvent, Event } from "../events/event.ts";
import { field, isPlain, textOf, type Tone, toneOf, type Topic } from "./decide-notification.ts";

export type MessageSection = {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly string[];
  /** How many resources are not listed. */
  readonly more: number;
  /** A page of the console. */
  readonly url: string;
};

export type Message = {
  /** Repeated attempts of a message have the same id. */
  readonly id: string;
  readonly title: string;
  readonly sections: readonly MessageSection[];
};

const LISTED_MAX = 10;
const SECTIONS_MAX = 8;
const LINE_MAX = 300;

type Words = {
  readonly one: string;
  /** Behind a count. */
  readonly many: string;
  /** The page of several; by default, that of the first. */
  readonly page?: string;
};

/** Of conditions. A plain topic is described by its event. */
const WORDS: Readonly<Record<string, Words>> = {
  "deployment.environment_failed": {
    one: "A deployment failed",
    many: "deployments failed",
    page: "deployments",
  },
  "deployment.environment_succeeded": {
    one: "An environment deploys again",
    many: "environments deploy again",
    page: "deployments",
  },
  "deployment.approval_requested": {
    one: "A deployment waits for approval",
    many: "deployments wait for approval",
    page: "approvals",
  },
  "preview.approval_requested": {
    one: "A preview waits for approval",
    many: "previews wait for approval",
    page: "approvals",
  },
  "preview.cleanup_failed": {
    one: "Resources of a preview cannot be removed",
    many: "previews have resources that cannot be removed",
  },
  "preview.ended": {
    one: "The resources of a preview were removed",
    many: "previews ended and their resources were removed",
  },
  "preview.deleted": {
    one: "The resources of a preview were removed",
    many: "previews were removed with their resources",
  },
  "data_store.stopped": { one: "A data store does not work", many: "data stores do not work" },
  "data_store.recovered": { one: "A data store works again", many: "data stores work again" },
  "data_store.deletion_failed": {
    one: "A data store cannot be deleted",
    many: "data stores cannot be deleted",
  },
  "data_store.deleted": { one: "A data store was deleted", many: "data stores were deleted" },
  "job.failed": { one: "A job failed", many: "jobs failed" },
  "job.missed": { one: "A job did not run", many: "jobs did not run" },
  "execution.succeeded": { one: "A job works again", many: "jobs work again" },
  "domain.attachment_failed": {
    one: "A domain could not be attached",
    many: "domains could not be attached",
    page: "domains",
  },
  "domain.attached": {
    one: "A domain is served again",
    many: "domains are served again",
    page: "domains",
  },
  "domain.warning_raised": {
    one: "A domain has a problem",
    many: "domains have one problem",
    page: "domains",
  },
  "domain.warning_resolved": {
    one: "A problem of a domain is resolved",
    many: "problems of domains are resolved",
    page: "domains",
  },
  "certificate.failed": {
    one: "A certificate could not be renewed",
    many: "certificates could not be renewed",
    page: "domains",
  },
  "certificate.expiring": {
    one: "A certificate expires soon",
    many: "certificates expire soon",
    page: "domains",
  },
  "certificate.issued": {
    one: "A certificate was replaced",
    many: "certificates were replaced",
    page: "domains",
  },
  "certificate.renewed": {
    one: "A certificate was renewed",
    many: "certificates were renewed",
    page: "domains",
  },
  "aws_account.disconnected": {
    one: "A cloud account is disconnected",
    many: "cloud accounts are disconnected",
    page: "accounts",
  },
  "aws_account.connected": {
    one: "A cloud account is connected again",
    many: "cloud accounts are connected again",
    page: "accounts",
  },
  "aws_account.permissions_missing": {
    one: "A cloud account lacks permissions",
    many: "cloud accounts lack permissions",
    page: "accounts",
  },
  "aws_account.permissions_restored": {
    one: "A cloud account has all permissions again",
    many: "cloud accounts have all permissions again",
    page: "accounts",
  },
  "git_integration.token_refused": {
    one: "A git host refuses a token",
    many: "tokens of git hosts are refused",
    page: "git-integrations",
  },
  "git_integration.token_accepted": {
    one: "A git host accepts a token again",
    many: "tokens of git hosts are accepted again",
    page: "git-integrations",
  },
  "webhook_endpoint.failing": {
    one: "A webhook fails",
    many: "webhooks fail",
    page: "webhooks",
  },
  "webhook_endpoint.disabled": {
    one: "A webhook was disabled",
    many: "webhooks were disabled",
    page: "webhooks",
  },
  "webhook_endpoint.recovered": {
    one: "A webhook works again",
    many: "webhooks work again",
    page: "webhooks",
  },
  "webhook_endpoint.enabled": {
    one: "A webhook was enabled",
    many: "webhooks were enabled",
    page: "webhooks",
  },
  "notification_channel.failing": {
    one: "A notification channel fails",
    many: "notification channels fail",
    page: "notifications",
  },
  "notification_channel.disabled": {
    one: "A notification channel was disabled",
    many: "notification channels were disabled",
    page: "notifications",
  },
  "notification_channel.recovered": {
    one: "A notification channel works again",
    many: "notification channels work again",
    page: "notifications",
  },
};

/** The topics of one section: the listed ones, and the count of all. */
export type Gathered = {
  readonly type: string;
  readonly tone: Tone;
  /** Null: those of its event. */
  readonly words: Words | null;
  readonly listed: readonly Topic[];
  readonly count: number;
};

/** The sections of a message: topics of one group, and groups of one topic each by their type. */
export function gatherSections(due: readonly Topic[]): readonly Gathered[] {
  const groups = [...Map.groupBy(due, ({ group }) => group).values()];
  const single = groups.filter((topics) => topics.length === 1).flat();
  const ofOne = [...Map.groupBy(single, (topic) => `${toneOf(topic)} ${topic.type}`).values()];
  return [...groups.filter((topics) => topics.length > 1), ...ofOne].flatMap((topics) => {
    const [first] = topics;
    if (first === undefined || first.type === null) return [];
    const { type } = first;
    const words = isPlain(first) ? null : (WORDS[type] ?? null);
    const listed = topics.slice(0, LISTED_MAX);
    return [{ type, tone: toneOf(first), words, listed, count: topics.length }];
  });
}

/**
 * @param events those of the listed topics that are kept, by their number
 * @param names of projects and environments, by id
 * @param publicUrl the address of the service
 */
export function composeMessage(
  id: string,
  sections: readonly Gathered[],
  context: {
    readonly events: ReadonlyMap<number, Event>;
    readonly names: ReadonlyMap<string, string>;
    readonly declared: readonly Pick<DeclaredEvent, "type" | "description">[];
    readonly publicUrl: string;
  },
): Message {
  const shown = sections.slice(0, SECTIONS_MAX).map((one) => sectionOf(one, context));
  const hidden = sections.slice(SECTIONS_MAX).reduce((sum, { count }) => sum + count, 0);
  const rest: readonly MessageSection[] =
    hidden === 0
      ? []
      : [
          {
            title: `${hidden} more changes`,
            tone: "news",
            lines: [],
            more: 0,
            url: consoleUrl(context.publicUrl, ""),
          },
        ];
  const all = [...shown, ...rest];
  const [first] = all;
  const title = all.length === 1 ? (first?.title ?? "") : `${first?.title ?? ""}, and ${all.length - 1} more`;
  return { id, title, sections: all };
}

/** What a test sends. */
export function testMessage(
  id: string,
  channel: { readonly id: string; readonly name: string },
  publicUrl: string,
): Message {
  const title = "Test notification";
  const lines = [toOneLine(`The channel ${channel.name} receives messages of Slipway.`)];
  const url = consoleUrl(publicUrl, `notifications/${channel.id}`);
  return { id, title, sections: [{ title, tone: "news", lines, more: 0, url }] };
}

function sectionOf(
  { type, tone, words, listed, count }: Gathered,
  { events, names, declared, publicUrl }: Parameters<typeof composeMessage>[2],
): MessageSection {
  const found = listed.flatMap(({ sequence }) => events.get(sequence ?? 0) ?? []);
  const lines = found.map((event) => lineOf(event, names));
  const described = declared.find((one) => one.type === type)?.description ?? type;
  const one = words?.one ?? (described.split(/[.:;] |[.]$/)[0] ?? type).replaceAll("`", "");
  const [first] = found;
  const page =
    count === 1 || words === null || words.page === undefined
      ? first === undefined
        ? ""
        : pageOf(first)
      : words.page;
  return {
    title: count === 1 ? one : words === null ? `${one} (${count} times)` : `${count} ${words.many}`,
    tone,
    lines,
    more: count - lines.length,
    url: consoleUrl(publicUrl, page),
  };
}

const consoleUrl = (publicUrl: string, page: string): string => `${publicUrl}/console/${page}`;

/** The page of an event's resource in the console. */
function pageOf({ type, subjectType, subjectId, projectId, data }: Event): string {
  switch (subjectType) {
    case "deployment":
      return `deployments/${subjectId}`;
    case "domain":
    case "certificate":
      return `groups/${textOf(data["groupId"])}`;
    case "domain_group":
      return `groups/${subjectId}`;
    case "aws_account":
      return `accounts/${subjectId}`;
    case "project":
      return `projects/${subjectId}`;
    case "preview":
      return projectId === null ? "projects" : `projects/${projectId}`;
    case "environment":
      return `environments/${subjectId}`;
    case "service":
      // The service is deleted.
      if (type.startsWith("data_store.delet")) return `projects/${projectId ?? ""}`;
      if (data["executionId"] !== undefined) return `executions/${textOf(data["executionId"])}`;
      return data["jobId"] === undefined ? `services/${subjectId}` : `services/${subjectId}/executions`;
    case "git_integration":
      return `git-integrations/${subjectId}`;
    case "webhook_endpoint":
      return `webhooks/${subjectId}`;
    case "notification_channel":
      return `notifications/${subjectId}`;
    default:
      return "audit";
  }
}

/** One resource: its place, its name, and what is wrong with it. */
function lineOf(
  { data, subjectId, projectId, environmentId }: Event,
  knownNames: ReadonlyMap<string, string>,
): string {
  const names = Array.isArray(data["names"]) ? data["names"].slice(0, 3).map(textOf).join(", ") : "";
  const commit = textOf(data["commit"]).slice(0, 7);
  const source = [textOf(data["branch"]), commit].filter((part) => part !== "").join(" ");
  const environment = textOf(data["environment"]) || (knownNames.get(environmentId ?? "") ?? "");
  const place = [knownNames.get(projectId ?? "") ?? "", environment]
    .filter((part) => part !== "")
    .join(" / ");
  const job = [textOf(data["service"]), textOf(data["jobId"])].filter((part) => part !== "").join(" ");
  const name = [textOf(data["name"]), names, textOf(data["key"]), textOf(data["host"]), job, source].find(
    (part) => part !== "",
  );
  const expiry = textOf(data["expiresAt"]);
  const reason = [
    field(data["error"], "message"),
    field(data["warning"], "message"),
    textOf(data["message"]),
    missedOf(data),
    data["days"] === undefined || expiry === "" ? "" : `It expires on ${expiry.slice(0, 10)}.`,
  ].find((part) => part !== "");
  const action = field(data["error"], "action") || field(data["warning"], "action");
  const head = [place, name ?? subjectId].filter((part) => part !== "").join(": ");
  const told = [reason ?? "", action].filter((part) => part !== "").join(" ");
  return cutText(toOneLine(told === "" ? head : `${head} – ${told}`), LINE_MAX);
}

function missedOf({ scheduledFor, missed }: Event["data"]): string {
  if (missed === undefined) return "";
  const minute = textOf(scheduledFor).slice(0, 16).replace("T", " ");
  const before =
    missed === null
      ? "more than 10,000 times"
      : missed === 1
        ? ""
        : missed === 2
          ? "once"
          : `${Number(missed) - 1} times`;
  return `Slipway could not start it at ${minute} UTC${before === "" ? "" : `, and ${before} before`}.`;
}

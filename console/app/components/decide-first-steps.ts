/** The first steps of a new organization, from a cloud account to a page on a domain of its own. Pure. */
import type { AwsAccount, Domain, DomainRow, ProjectRow, Service } from "../../../sdk/src/generated/types.ts";
import type { Action } from "../api/permission-words.ts";
import { isPublic } from "../api/service-words.ts";
import { paths } from "../paths.ts";

export type StepId = "account" | "git" | "project" | "deployment" | "domain" | "records";

export type Step = {
  readonly id: StepId;
  readonly title: string;
  /** What the step does, and what it needs. */
  readonly text: string;
  /** The words of the link to its page. */
  readonly label: string;
  /** The page that it concerns. */
  readonly to: string;
  /** The permission that it needs. */
  readonly action: Action;
  readonly isDone: boolean;
};

export type Facts = {
  /** Undefined until they are known, or if the caller must not read them. */
  readonly accounts: readonly Pick<AwsAccount, "id" | "status" | "connectedAwsAccountId">[] | undefined;
  readonly git: readonly unknown[] | undefined;
  readonly projects: readonly Pick<ProjectRow, "id" | "environments">[];
  /** Of the first project that is live. */
  readonly services: readonly Pick<Service, "id" | "type" | "environmentId">[] | undefined;
  /** The newest domains. */
  readonly domains: readonly Pick<DomainRow, "domainCertificateGroupId">[] | undefined;
  /** A domain that leads visitors to its service; null if there is none. */
  readonly served: Pick<Domain, "name"> | null;
};

export function stepsOf({ accounts, git, projects, services, domains, served }: Facts): readonly Step[] {
  const account = accounts?.find(({ status }) => status !== "CONNECTED") ?? accounts?.[0];
  const live = liveProject(projects);
  const project = live ?? projects[0];
  const service = services?.find(isPublic);
  const group = domains?.[0]?.domainCertificateGroupId;
  return [
    {
      id: "account",
      title: "Connect a cloud account",
      text: "Everything that you deploy runs in an account of yours, which you connect once.",
      label: account === undefined ? "Connect an account" : "Finish connecting",
      to: account === undefined ? paths.newAccount() : paths.account(account.id),
      action: "manage accounts",
      isDone:
        accounts?.some(({ connectedAwsAccountId }) => connectedAwsAccountId !== null) ?? live !== undefined,
    },
    {
      id: "git",
      title: "Connect git",
      text: "Slipway reads your repository with an access token of your git host.",
      label: "Connect git",
      to: paths.newGit(),
      action: "manage git",
      isDone: git === undefined ? project !== undefined : git.length > 0,
    },
    {
      id: "project",
      title: "Create a project",
      text: "A project is a repository and the account that it is deployed into.",
      label: "Create a project",
      to: paths.newProject(),
      action: "manage projects",
      isDone: project !== undefined,
    },
    {
      id: "deployment",
      title: "Deploy it",
      text: "The first deployment builds the newest commit, runs it in your account, and gives it an address.",
      label: "Open the project",
      to: project === undefined ? paths.projects() : paths.project(project.id),
      action: "deploy",
      isDone: live !== undefined,
    },
    {
      id: "domain",
      title: "Add a domain of yours",
      text: "A name such as www.example.com, with a certificate that Slipway requests and renews.",
      label: "Add a domain",
      to: service === undefined ? paths.domains() : paths.newDomains(service.id),
      action: "manage domains",
      isDone: served !== null || group !== undefined,
    },
    {
      id: "records",
      title: "Set its DNS records",
      text: "Two records at your DNS provider: one proves that the name is yours, one leads visitors to the service. You can share them with a link.",
      label: "See the records",
      to: group === undefined ? paths.domains() : paths.group(group),
      action: "manage domains",
      isDone: served !== null,
    },
  ];
}

/** The first project of which something runs. */
export function liveProject<P extends Pick<ProjectRow, "environments">>(
  projects: readonly P[],
): P | undefined {
  return projects.find(({ environments }) =>
    environments.some(({ state }) => state === "LIVE" || state === "PARTLY_LIVE"),
  );
}

/** The pages that a step leads through, beside its own. */
const THROUGH: Readonly<Record<StepId, RegExp>> = {
  account: /^\/accounts\b/,
  git: /^\/git-integrations\b/,
  project: /^\/projects(?:\/new)?$/,
  deployment: /^\/deployments\/./,
  domain: /^\/services\/[^/]+\/domains\b/,
  records: /^\/groups\b/,
};

/** Whether a page is where a step is taken: then it has the step's action itself. */
export function isPageOf({ id, to }: Step, path: string): boolean {
  return path === to || THROUGH[id].test(path);
}

/** The first steps of a new organization, in order. Pure. */
import type { AwsAccount, GitIntegration, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { paths } from "../paths.ts";

export type Step = {
  readonly id: "account" | "git" | "project" | "deployment" | "domain";
  readonly words: string;
  readonly to: string;
  readonly isDone: boolean;
  /** The step that must end first. Null if the step can begin now. */
  readonly waitsFor: string | null;
};

type Seen = {
  /** Undefined until they are known. */
  readonly accounts: readonly Pick<AwsAccount, "id" | "status">[] | undefined;
  readonly git: readonly Pick<GitIntegration, "id">[] | undefined;
  readonly projects: readonly Pick<ProjectRow, "id" | "environments">[];
};

export function stepsOf({ accounts, git, projects }: Seen): readonly Step[] {
  const isConnected = accounts?.some(({ status }) => status === "CONNECTED") ?? false;
  const hasGit = (git?.length ?? 0) > 0;
  const [project] = projects;
  const live = projects
    .flatMap(({ environments }) => environments)
    .find(({ state }) => state === "LIVE" || state === "PARTLY_LIVE");
  const isReady = isConnected && hasGit;
  return [
    {
      id: "account",
      words: "Connect a cloud account, which everything is deployed into",
      to: accounts?.[0] === undefined ? paths.newAccount() : paths.account(accounts[0].id),
      isDone: isConnected,
      waitsFor: null,
    },
    {
      id: "git",
      words: "Connect git, so that Slipway can read your repository",
      to: paths.newGit(),
      isDone: hasGit,
      waitsFor: null,
    },
    {
      id: "project",
      words: "Create a project from the repository",
      to: paths.newProject(),
      isDone: project !== undefined,
      waitsFor: isReady ? null : "after the account and git",
    },
    {
      id: "deployment",
      words: "Deploy it",
      to: project === undefined ? paths.projects() : paths.project(project.id),
      isDone: live !== undefined,
      waitsFor: project === undefined ? "after the project" : null,
    },
    {
      id: "domain",
      words: "Give it a domain of yours",
      to: live === undefined ? paths.domains() : paths.environment(live.id),
      isDone: false,
      waitsFor: live === undefined ? "after the deployment" : null,
    },
  ];
}

import { useNavigate } from "@tanstack/react-router";
import type { Project } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import {
  ANOTHER_BRANCH,
  branchOfChoice,
  deployChoices,
  type DeployTarget,
  NEWEST,
  redeployChoices,
  requestOfChoice,
} from "../api/deploy-choices.ts";
import { useCan } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { paths } from "../paths.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type Control, SelectField, TextField } from "../ui/field.tsx";
import { Fine } from "../ui/layout.tsx";
import { BranchField, useBranches } from "./branch-field.tsx";
import { RecentCommits } from "./deploy-commits.tsx";
import { FormBox, useForm } from "./form.tsx";

/** As many earlier deployments as are offered to be deployed once more. */
const EARLIER_MOST = 20;

type Props = {
  readonly project: Project;
  readonly environments: readonly DeployTarget[];
  readonly isOfEnvironment: boolean;
  readonly title: string;
  readonly onClose: () => void;
};

/** Asks which environment or branch is deployed, and whether it is the newest commit or an earlier one. */
export function DeployDialog({ project, environments, isOfEnvironment, title, onClose }: Props) {
  const navigate = useNavigate();
  const choices = deployChoices(environments);
  const form = useForm({
    initial: {
      target: choices[0]?.[0] ?? ANOTHER_BRANCH,
      branch: project.configFileBranch ?? "",
      commit: NEWEST,
    },
    submit: ({ target, branch, commit }) =>
      commit === NEWEST
        ? slipway.deployments.create({
            repoUrl: project.repoUrl,
            ...requestOfChoice(project.id, target, branch),
          })
        : slipway.deployments.redeploy(commit),
    refreshes: ["deployments", "projects", "overview"],
    onDone: ({ id }) => navigate({ to: paths.deployment(id) }),
  });
  const { target, branch: typed } = form.values;
  const environment = environments.find(({ id }) => target === id);
  const { reason } = useCan("deploy", { projectId: project.id, environmentId: environment?.id });
  const { data } = useLater(
    read("overview", "listDeployments", {
      environmentId: environment?.id ?? "",
      order: "desc",
      limit: EARLIER_MOST,
    }),
    { isWanted: environment !== undefined },
  );
  const earlier = environment === undefined || data === undefined ? [] : redeployChoices(data.deployments);
  const redeployed = earlier.find(({ id }) => id === form.values.commit);
  const branch = branchOfChoice(environments, target, typed);
  return (
    <Dialog title={title} onClose={onClose}>
      <FormBox
        form={form}
        action={redeployed === undefined ? "Deploy now" : `Redeploy ${redeployed.commit}`}
        refusal={reason}
        onCancel={onClose}
      >
        {isOfEnvironment || choices.length === 0 ? null : (
          <SelectField
            label="What to deploy"
            options={[...choices, [ANOTHER_BRANCH, "Another branch"]]}
            {...form.field("target", "/filter")}
            // An earlier deployment is of one environment.
            onChange={(chosen) => form.set({ target: chosen, commit: NEWEST })}
          />
        )}
        {target === ANOTHER_BRANCH ? (
          <AnotherBranch projectId={project.id} control={form.field("branch")} />
        ) : null}
        {environment === undefined ? null : (
          <SelectField
            label="Commit"
            options={[
              [NEWEST, `The newest of ${environment.branch}`],
              ...earlier.map(({ id, words }) => [id, words] as const),
            ]}
            {...form.field("commit", "/commit")}
          />
        )}
        {redeployed === undefined ? (
          <RecentCommits project={project} environment={environment} branch={branch} />
        ) : (
          <p>
            The same commit is built and released again in {redeployed.environments}, with the present values
            of its variables.
          </p>
        )}
      </FormBox>
    </Dialog>
  );
}

const HINT =
  "Its newest commit is deployed to the environments that follow it in that commit's configuration.";

/** One of the repository's branches; typed, if the git host does not list them. */
function AnotherBranch({
  projectId,
  control,
}: {
  readonly projectId: string;
  readonly control: Control<string>;
}) {
  const branches = useBranches((search) =>
    read("projects", "listBranches", projectId, search === undefined ? {} : { search }),
  );
  const { first, error } = branches;
  if (error === null && (first === undefined || first.problem === null))
    return <BranchField {...control} branches={branches} hint={HINT} />;
  return (
    <>
      <TextField label="Branch" hint={HINT} {...control} />
      <Fine>{first?.problem ?? "The branches could not be listed."}</Fine>
    </>
  );
}

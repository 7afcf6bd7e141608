/** Where a new project comes from: cloud account, git host, repository, branch. */
import { useMemo } from "react";
import type { AwsAccount, GitIntegration, GitRepository } from "../../../sdk/src/generated/types.ts";
import { integrationName } from "../api/git-words.ts";
import { isAddress, pathOf, type ProjectValues, type Source, type SourceSearch } from "../api/new-project.ts";
import { read } from "../api/query.ts";
import { useSearched } from "../api/searched.ts";
import { BranchField, type Branches, useBranches } from "../components/branch-field.tsx";
import type { Form } from "../components/form.tsx";
import { ComboField, SelectField, TextField } from "../ui/field.tsx";
import { formatRelative } from "../ui/format-time.ts";
import css from "./new-project.module.css";

const DEMO = "https://git.sandbox.test/demo";
const SHOWN = 50;

/** The source that the address of the page names; otherwise the first connected account and the first integration. */
export function chooseSource(
  search: SourceSearch,
  accounts: readonly AwsAccount[],
  integrations: readonly GitIntegration[],
  cloud: string,
): Source {
  const repoUrl = search.repository ?? (cloud === "sandbox" ? DEMO : "");
  const account =
    accounts.find(({ id, givenId }) => [id, givenId].includes(search.account ?? "")) ??
    accounts.find(({ status }) => status === "CONNECTED") ??
    accounts[0];
  const integration =
    integrations.find(({ id }) => id === search.git) ??
    integrations.find((one) => search.repository?.includes(hostOf(one)) === true) ??
    integrations[0];
  return {
    awsAccountId: account?.id ?? "",
    integrationId: integration?.id ?? "",
    repoUrl,
    branch: search.branch ?? "",
  };
}

function hostOf({ provider, host }: GitIntegration): string {
  return host ?? (provider === "provider_a" ? "github.com" : "gitlab.com");
}

/** The repositories and branches that the git host lists, and the source with the default branch if none is chosen. */
export function useRepository(chosen: Source) {
  const { integrationId, repoUrl } = chosen;
  const query = { sort: "pushed", order: "desc", limit: SHOWN } as const;
  const isWanted = integrationId !== "";
  const repositories = useSearched(
    (search) =>
      read("gitIntegrations", "listRepositories", integrationId, {
        ...query,
        ...(search === undefined ? {} : { search }),
      }),
    {
      isWanted,
      hasMore: ({ nextCursor }) => nextCursor !== null,
      isSearchable: (text) => !isAddress(text),
    },
  );
  const branches = useBranches(
    (search) =>
      read("gitIntegrations", "listBranches", integrationId, {
        repoUrl,
        ...(search === undefined ? {} : { search }),
      }),
    isWanted && repoUrl !== "",
  );
  const repository = repositories.first?.repositories.find(({ url }) => url === repoUrl);
  const usual = repository?.defaultBranch ?? branches.first?.branches[0]?.name ?? "";
  return {
    source: { ...chosen, branch: chosen.branch === "" ? usual : chosen.branch },
    repositories,
    branches,
  };
}

type Props = {
  readonly form: Form<ProjectValues>;
  readonly awsAccounts: readonly AwsAccount[];
  readonly integrations: readonly GitIntegration[];
  readonly repositories: ReturnType<typeof useRepository>["repositories"];
  readonly branches: Branches;
  readonly setSource: (changes: Partial<Source>) => void;
};

export function ProjectSource({ form, awsAccounts, integrations, repositories, branches, setSource }: Props) {
  const { repoUrl } = form.values;
  const { data, text, isSearched } = repositories;
  // The same arrays while nothing changes: the list starts again with new ones.
  const address = isAddress(text) ? text.trim() : "";
  const options = useMemo(
    () => repositoryChoices(isSearched ? "" : repoUrl, address, data?.repositories),
    [repoUrl, isSearched, address, data],
  );
  return (
    <section className={css["group"]} aria-label="Source">
      <div className={css["pair"]}>
        <SelectField
          label="Cloud account"
          {...form.field("awsAccountId")}
          onChange={(awsAccountId) => setSource({ awsAccountId })}
          options={awsAccounts.map(({ id, name, status }) => [
            id,
            status === "CONNECTED" ? name : `${name} (not connected)`,
          ])}
        />
        <SelectField
          label="Git host"
          {...form.field("integrationId", "/codeSource")}
          onChange={(integrationId) => setSource({ integrationId, repoUrl: "", branch: "" })}
          options={integrations.map((one) => [one.id, integrationName(one)])}
        />
      </div>
      <ComboField
        label="Repository"
        placeholder="Search, or paste an address"
        {...form.field("repoUrl")}
        options={options}
        empty={emptyWords(repositories)}
        onChange={(address) => setSource({ repoUrl: address, branch: "" })}
        onSearch={repositories.setText}
        isFiltered={isSearched}
      />
      <div className={css["pair"]}>
        <BranchField
          {...form.field("branch")}
          branches={branches}
          onChange={(branch) => setSource({ branch })}
        />
        <TextField label="Name" {...form.field("name")} />
      </div>
    </section>
  );
}

function repositoryChoices(chosen: string, address: string, found: readonly GitRepository[] = []) {
  const options = found.map(choiceOf);
  const missing = [...new Set([chosen, address])].filter(
    (one) => one !== "" && !options.some(({ value }) => value === one),
  );
  const others = missing.map((value) => ({ value, label: value === address ? value : pathOf(value) }));
  return [...others, ...options];
}

function emptyWords({ error, isLoading }: Props["repositories"]): string {
  if (isLoading) return "Asking the git host…";
  return error === null
    ? "No repository that you may read matches. Paste its address to use another."
    : "The git host does not list its repositories now. Paste the address of one.";
}

function choiceOf({ url, name, isPrivate, lastPushedAt }: GitRepository) {
  const pushed =
    lastPushedAt === null ? "" : `pushed ${formatRelative(Date.parse(lastPushedAt), Date.now())}`;
  const detail = [isPrivate ? "private" : "", pushed].filter((part) => part !== "").join(", ");
  return { value: url, label: name, ...(detail === "" ? {} : { detail }) };
}

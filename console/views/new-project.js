/** @import { AwsAccount, Page, View } from "../api-types.ts" */
import { ProblemError } from "../api.js";
import { makeForm } from "../parts/form.js";
import { empty, link, pageHead } from "../parts/page.js";
import { PROVIDERS } from "../parts/providers.js";

const EXAMPLE = {
  environments: [
    {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main", trigger: "manual" },
      services: [{ id: "web", name: "Web", type: "static", outputDirectory: "public" }],
    },
  ],
};

/** @param {View} view */
export async function showNewProject({ api, signal, hasSandbox, go }) {
  /** @type {Page<AwsAccount>} */
  const accounts = await api.list("/v1/aws-accounts", "awsAccounts", null, signal);
  const head = pageHead({ title: "New project", crumbs: [link("/projects", "Projects")] });
  if (accounts.items.length === 0) {
    return [
      head,
      empty("A project needs a cloud account to deploy into. ", link("/accounts", "Connect one first"), "."),
    ];
  }
  const form = makeForm({
    fields: [
      { name: "name", label: "Name", placeholder: "Shop" },
      {
        name: "repoUrl",
        label: "Repository",
        value: hasSandbox ? "https://git.sandbox.test/demo.git" : "",
        ...(hasSandbox ? { hint: "This demo repository comes with the sandbox." } : {}),
      },
      { name: "provider", label: "Git provider", options: PROVIDERS, pointer: "/codeSource/provider" },
      {
        name: "host",
        label: "GitLab host",
        placeholder: "gitlab.example.com",
        pointer: "/codeSource/host",
        shownIf: ({ provider }) => provider === "provider_b_self_hosted",
      },
      {
        name: "awsAccountId",
        label: "Cloud account",
        options: accounts.items.map(({ id, name, status }) => [
          id,
          status === "CONNECTED" ? name : `${name} (not connected)`,
        ]),
      },
      {
        name: "configType",
        label: "Configuration",
        options: [
          ["iac", "In the repository"],
          ["gui", "Entered here"],
        ],
      },
      {
        name: "configFilePath",
        label: "File",
        value: "slipway.json",
        shownIf: ({ configType }) => configType === "iac",
      },
      {
        name: "configFileBranch",
        label: "Branch with the file",
        value: "main",
        shownIf: ({ configType }) => configType === "iac",
      },
      {
        name: "config",
        label: "Environments and services",
        kind: "code",
        value: JSON.stringify(EXAMPLE, null, 2),
        hint: "JSON that follows the schema at /schema.json.",
        shownIf: ({ configType }) => configType === "gui",
      },
    ],
    action: "Create project",
    onSubmit: async ({ provider, host, config, ...values }) => {
      const body = {
        ...values,
        codeSource: { provider, ...(host === undefined ? {} : { host }) },
        ...(config === undefined ? {} : { config: readConfig(config) }),
      };
      const { id } = (await api.write("POST", "/v1/projects", body)).body;
      go(`/projects/${id}`);
    },
  });
  return [head, form];
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function readConfig(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ProblemError({
      title: "The configuration is not JSON",
      detail: error.message,
      status: 400,
      code: null,
      type: null,
      requestId: null,
      errors: [{ path: "/config", code: "INVALID", message: error.message }],
    });
  }
}

/** The form of a new project: from what the repository shows to the request. Pure. */
import type {
  CreateProjectRequest,
  FrameworkDetection,
  GitIntegration,
} from "../../../sdk/src/generated/types.ts";
import { readConfig } from "./config-text.ts";

/** Where a project comes from. Empty texts are not chosen yet. */
export type Source = {
  readonly awsAccountId: string;
  readonly integrationId: string;
  readonly repoUrl: string;
  readonly branch: string;
};

export type ProjectValues = Source & {
  readonly name: string;
  /** `iac`: the file of the repository. `gui`: the fields below, or text. */
  readonly configType: string;
  readonly configFilePath: string;
  readonly serviceType: string;
  readonly buildCommand: string;
  readonly outputDirectory: string;
  readonly startCommand: string;
  readonly port: string;
  readonly region: string;
  readonly trigger: string;
  /** Whether the configuration is `text`, or follows from the fields. */
  readonly isText: boolean;
  readonly text: string;
  readonly isDeployed: boolean;
};

/** An address of the page that has choices made: `?account=…&git=…&repository=…&branch=…`. */
export type SourceSearch = {
  readonly account?: string;
  readonly git?: string;
  readonly repository?: string;
  readonly branch?: string;
};

/** What the form begins with. @param detection undefined until it is known */
export function initialValues(source: Source, detection: FrameworkDetection | undefined): ProjectValues {
  const { type, buildCommand, outputDirectory, startCommand, port } = detection?.service ?? NO_SERVICE;
  const hasFile = detection === undefined || detection.configFile !== null;
  return {
    ...source,
    name: nameOf(source.repoUrl),
    configType: hasFile ? "iac" : "gui",
    configFilePath: "slipway.json",
    serviceType: type,
    buildCommand: buildCommand ?? "",
    outputDirectory: outputDirectory ?? "",
    startCommand: startCommand ?? "",
    port: port === null ? "3000" : String(port),
    region: "us-west-2",
    trigger: "manual",
    isText: false,
    text: "",
    isDeployed: false,
  };
}

const NO_SERVICE = {
  type: "static",
  buildCommand: null,
  outputDirectory: null,
  startCommand: null,
  port: null,
} as const;

/** A project's name for its repository: `my-shop` becomes `My shop`. */
export function nameOf(repoUrl: string): string {
  const last = pathOf(repoUrl).split("/").at(-1) ?? "";
  const words = last.replaceAll(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `acme/shop` of `https://github.com/acme/shop.git` and of `git@github.com:acme/shop.git`. */
export function pathOf(repoUrl: string): string {
  return repoUrl
    .trim()
    .replace(/^(?:[a-z+]+:\/\/[^/]*\/|[^@/\s]+@[^:/]+:)/i, "")
    .replace(/(?:\.git)?\/*$/, "");
}

/** Whether a text is an address rather than a part of a name. */
export function isAddress(text: string): boolean {
  return /^(?:https?:\/\/|ssh:\/\/|git@)\S+\/\S+$/i.test(text.trim());
}

/** The configuration that the fields describe. Numbers that are not typed as such are sent as text, which the API names. */
export function configOf(values: ProjectValues): NonNullable<CreateProjectRequest["config"]> {
  const { serviceType, buildCommand, outputDirectory, startCommand, port } = values;
  const build = buildCommand.trim() === "" ? {} : { buildCommand: buildCommand.trim() };
  const settings =
    serviceType === "static"
      ? { outputDirectory: outputDirectory.trim() }
      : { startCommand: startCommand.trim(), port: /^\d+$/.test(port.trim()) ? Number(port) : port };
  const config = {
    environments: [
      {
        id: "production",
        name: "Production",
        region: values.region,
        source: { branch: values.branch, trigger: values.trigger },
        services: [{ id: "web", name: "Web", type: serviceType, ...build, ...settings }],
      },
    ],
  };
  return config as NonNullable<CreateProjectRequest["config"]>;
}

/** The request. @throws InputError for text that is not JSON */
export function requestOf(
  values: ProjectValues,
  { provider, host }: Pick<GitIntegration, "provider" | "host">,
): CreateProjectRequest {
  const common = {
    name: values.name,
    repoUrl: values.repoUrl,
    awsAccountId: values.awsAccountId,
    codeSource: { provider, ...(host === null ? {} : { host }) },
  };
  if (values.configType === "iac")
    return {
      ...common,
      configType: "iac",
      configFilePath: values.configFilePath,
      configFileBranch: values.branch,
    };
  return {
    ...common,
    configType: "gui",
    config: values.isText ? readConfig(values.text) : configOf(values),
  };
}

const SERVICE = "/config/environments/0/services/0";
/** Where faults of the fields are in the request. */
export const POINTERS = {
  buildCommand: `${SERVICE}/buildCommand`,
  outputDirectory: `${SERVICE}/outputDirectory`,
  startCommand: `${SERVICE}/startCommand`,
  port: `${SERVICE}/port`,
  serviceType: `${SERVICE}/type`,
  region: "/config/environments/0/region",
  trigger: "/config/environments/0/source/trigger",
} as const;

/** Sets one variable of an environment or a service. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type {
  EnvVariable,
  EnvVariableKind,
  SetEnvVariablesRequest,
} from "../../../sdk/src/generated/types.ts";
import { useCan } from "../api/permissions.ts";
import { InputError } from "../api/problem.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { isSecret, isVariableName, KINDS, ownerOf, type Scope } from "../api/variable-matrix.ts";
import { readVariables, sendVariables } from "../api/variables.ts";
import { soundsSecret } from "../api/dotenv-preview.ts";
import { linkOf, referenceChoices, referenceOf } from "../api/variable-references.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CheckField, ComboField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";

type Values = {
  readonly name: string;
  readonly kind: EnvVariableKind;
  readonly value: string;
  /** Of `referenceChoices`, if the value is from another service. */
  readonly reference: string;
  /** Of a secret of a template. */
  readonly availableInPreviews: boolean;
};

export function SetEnvironmentVariableForm() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/variables/set" });
  const { name } = useSearch({ from: "/shell/environments/$environmentId/variables/set" });
  const environment = useRead(read("environments", "get", environmentId));
  const scope: Scope = { kind: "environment", id: environmentId, name: environment.name };
  return (
    <SetVariable
      scope={scope}
      environmentId={environmentId}
      projectId={environment.projectId}
      name={name}
      isTemplate={environment.isTemplate}
      back={paths.environmentVariables(environmentId)}
    />
  );
}

export function SetServiceVariableForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/variables/set" });
  const { name } = useSearch({ from: "/shell/services/$serviceId/variables/set" });
  const service = useRead(read("services", "get", serviceId));
  return (
    <SetVariable
      scope={{ kind: "service", id: serviceId, name: service.name }}
      environmentId={service.environmentId}
      projectId={service.projectId}
      name={name}
      isTemplate={false}
      back={paths.serviceVariables(serviceId)}
    />
  );
}

type Props = {
  readonly scope: Scope;
  readonly environmentId: string;
  readonly projectId: string;
  /** The variable that is edited; undefined: a new one. */
  readonly name: string | undefined;
  /** Whether previews are made from the environment, so that they may get its secrets. */
  readonly isTemplate: boolean;
  readonly back: string;
};

function SetVariable({ scope, environmentId, projectId, name, isTemplate, back }: Props) {
  const { reason } = useCan("set variables", { projectId, environmentId });
  const { services } = useRead(readAll("services", "list", environmentId, {}));
  const present = useRead(readVariables(scope)).find((one) => one.name === name && one.source === "api");
  const references = referenceChoices(services.filter(({ id }) => id !== scope.id));
  const navigate = useNavigate();
  const form = useForm<Values, Awaited<ReturnType<typeof sendVariables>>>({
    initial: initialOf(name, present),
    submit: async (values) => await sendVariables(ownerOf(scope), "merge", requestFor(values, isTemplate)),
    refreshes: ["variables", "services"],
    onDone: async (answer, values) => {
      toast(`${values.name} is set. Services get it with their next deployment.`);
      const search = "runId" in answer ? { run: answer.runId } : {};
      await navigate({ to: back, search: search as never });
    },
  });
  const { values } = form;
  const at = `/${values.kind}`;
  return (
    <Page
      title={present === undefined ? "Set a variable" : "Change a variable"}
      crumbs={[[`Variables of ${scope.name}`, back]]}
      lead={scope.kind === "environment" ? `For all services of ${scope.name}.` : `Only for ${scope.name}.`}
    >
      <FormBox form={form} action="Save" refusal={reason} onCancel={() => void navigate({ to: back })}>
        <TextField
          label="Name"
          placeholder="LOG_LEVEL"
          readOnly={name !== undefined}
          hint="Letters, digits and _."
          {...form.field("name")}
        />
        <SelectField
          label="Kind"
          options={(Object.entries(KINDS) as [EnvVariableKind, string][]).filter(
            ([kind]) => kind !== "fromService" || references.length > 0,
          )}
          hint={
            values.kind === "plainText" && soundsSecret(values.name)
              ? "This sounds like a secret. Plain text is shown to all users who may read this project."
              : undefined
          }
          {...form.field("kind", "/kind")}
          onChange={(kind) => form.set({ kind: kind as EnvVariableKind })}
        />
        {values.kind === "fromService" ? (
          <ComboField
            label="Value of"
            placeholder={references[0]?.label ?? ""}
            hint="Type the name of a service. Each deployment sets the variable to what this is then."
            options={references}
            empty="No service has this."
            {...form.field("reference", `${at}/${values.name}/id`)}
          />
        ) : (
          <TextArea
            label={isSecret(values.kind) ? "Secret value" : "Value"}
            isCode
            isMasked={isSecret(values.kind)}
            hint={hintOf(values.kind, present)}
            {...form.field("value", at)}
          />
        )}
        {isTemplate && isSecret(values.kind) ? (
          <CheckField
            label="Available in previews"
            hint="Every pull request from this repository can read the secret, because its code runs with it. Previews of forks never get it, even after an approval. To change this later, delete the variable first."
            {...form.field("availableInPreviews", "/availableInPreviews")}
          />
        ) : null}
      </FormBox>
    </Page>
  );
}

function initialOf(name: string | undefined, present: EnvVariable | undefined): Values {
  return {
    name: name ?? "",
    kind: present?.kind ?? (name !== undefined && soundsSecret(name) ? "secretsManager" : "plainText"),
    value:
      present !== undefined && isSecret(present.kind) ? "" : (present?.value ?? present?.reference ?? ""),
    reference: referenceOf(present?.fromService ?? null),
    availableInPreviews: present?.availableInPreviews ?? false,
  };
}

function hintOf(kind: EnvVariableKind, present: EnvVariable | undefined): string | undefined {
  if (!isSecret(kind)) return undefined;
  const kept = "Stored in your cloud account. Slipway keeps no copy and never shows it.";
  return present !== undefined && isSecret(present.kind)
    ? `${kept} What you type replaces the present one.`
    : kept;
}

/** @throws InputError for a name that no variable can have */
function requestFor(
  { name, kind, value, reference, availableInPreviews }: Values,
  isTemplate: boolean,
): SetEnvVariablesRequest {
  if (!isVariableName(name)) {
    const message = name === "" ? "this is needed" : "use letters, digits and _, and begin with no digit";
    throw new InputError([{ path: "/name", code: name === "" ? "REQUIRED" : "WRONG_FORM", message }]);
  }
  if (kind === "fromService" && reference === "")
    throw new InputError([
      { path: `/fromService/${name}/id`, code: "REQUIRED", message: "choose what it is the value of" },
    ]);
  // A computed key, so that `__proto__` is a name like any other.
  const group = { [kind]: { [name]: kind === "fromService" ? linkOf(reference) : value } };
  return isTemplate && isSecret(kind) ? { ...group, availableInPreviews } : group;
}

/** Sets many variables at once from a pasted or dropped `.env`, after a preview of the changes. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import {
  type PastedKind,
  readDotenv,
  requestOf,
  soundsSecret,
  formatDuplicate,
  formatPlan,
} from "../api/dotenv-preview.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { KINDS, ownerOf, type Scope } from "../api/variable-matrix.ts";
import { sendVariables, usePlan, useScopes, type WriteMode } from "../api/variables.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { Preview } from "../components/variables/preview.tsx";
import { paths } from "../paths.ts";
import { SelectField } from "../ui/field.tsx";
import { TextFileField } from "../ui/text-file-field.tsx";
import { toast } from "../ui/toast.tsx";

export function ImportEnvironmentVariablesForm() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/variables/import" });
  const { name, projectId } = useRead(read("environments", "get", environmentId));
  return (
    <ImportVariables
      scope={{ kind: "environment", id: environmentId, name }}
      environmentId={environmentId}
      projectId={projectId}
      back={paths.environmentVariables(environmentId)}
    />
  );
}

export function ImportServiceVariablesForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/variables/import" });
  const { name, projectId, environmentId } = useRead(read("services", "get", serviceId));
  return (
    <ImportVariables
      scope={{ kind: "service", id: serviceId, name }}
      environmentId={environmentId}
      projectId={projectId}
      back={paths.serviceVariables(serviceId)}
    />
  );
}

type Props = {
  readonly scope: Scope;
  readonly environmentId: string;
  readonly projectId: string;
  readonly back: string;
};

const MODES: readonly (readonly [WriteMode, string])[] = [
  ["merge", "Merge: other variables stay as they are"],
  ["replace", "Replace: variables that are not in the text are deleted"],
];

const INITIAL: { readonly text: string; readonly mode: WriteMode; readonly secrets: string } = {
  text: "",
  mode: "merge",
  secrets: "secretsManager",
};

function ImportVariables({ scope, environmentId, projectId, back }: Props) {
  const { reason } = useCan("set variables", { projectId, environmentId });
  const owner = ownerOf(scope);
  const navigate = useNavigate();
  /** How each variable is stored, by name, if the user has chosen another way than the default. */
  const [kinds, setKinds] = useState<ReadonlyMap<string, PastedKind>>(new Map());
  const requestFor = (text: string, secrets: string) => {
    const { variables } = readDotenv(text);
    return requestOf(
      variables,
      (name) => kinds.get(name) ?? (soundsSecret(name) ? (secrets as PastedKind) : "plainText"),
    );
  };
  const form = useForm({
    initial: INITIAL,
    submit: async ({ text, mode, secrets }) => await sendVariables(owner, mode, requestFor(text, secrets)),
    refreshes: ["variables", "services"],
    onDone: async (answer) => {
      toast("The variables are saved. Services get them with their next deployment.");
      const search = "runId" in answer ? { run: answer.runId } : {};
      await navigate({ to: back, search: search as never });
    },
  });
  const { mode, secrets } = form.values;
  // Typing does not wait for the preview.
  const text = useDeferredValue(form.values.text);
  const { variables, wrong, duplicates } = readDotenv(text);
  const present = useScopes([scope]).scopes?.[0]?.variables ?? [];
  const hasText = variables.size > 0;
  const { plan, error, isAsking } = usePlan(
    owner,
    mode,
    requestFor(text, secrets),
    hasText && reason === null,
  );
  const stopped =
    reason ??
    (!hasText
      ? "Paste some variables first."
      : wrong.length > 0
        ? "Correct or remove the invalid lines first."
        : plan === undefined
          ? "Wait for the preview."
          : plan.refused.length > 0
            ? "Change or remove the invalid variables first."
            : null);
  return (
    <Page
      title="Paste a .env"
      crumbs={[[`Variables of ${scope.name}`, back]]}
      lead={`Nothing is saved before you have seen what it changes ${scope.kind === "environment" ? "for all services of" : "for"} ${scope.name}.`}
    >
      <FormBox
        form={form}
        action={plan === undefined ? "Save" : `Save: ${formatPlan(plan)}`}
        refusal={reason}
        disabledReason={stopped}
        onCancel={() => void navigate({ to: back })}
      >
        <TextFileField
          label="Variables"
          isCode
          rows={10}
          placeholder={'LOG_LEVEL=info\nGREETING="Good morning"'}
          hint="NAME=value on each line, as in a .env file. Paste it, or drop the file here."
          {...form.field("text", "/text")}
          fault={
            wrong.length === 0 ? null : wrong.map(({ line, message }) => `Line ${line}: ${message}`).join(" ")
          }
        />
        <SelectField
          label="The variables that are there"
          options={MODES}
          {...form.field("mode", "/mode")}
          onChange={(next) => form.set({ mode: next as WriteMode })}
        />
        <SelectField
          label="What sounds like a secret"
          hint="By its name. Each can be changed below."
          options={[
            ["secretsManager", KINDS.secretsManager],
            ["parameterStore", KINDS.parameterStore],
            ["plainText", `${KINDS.plainText}, readable in Slipway`],
          ]}
          {...form.field("secrets", "/secrets")}
        />
        {duplicates.length === 0 ? null : (
          <Notice title="Some names are given more than once">
            <ul>
              {duplicates.map((one) => (
                <li key={one.name}>{formatDuplicate(one)}</li>
              ))}
            </ul>
          </Notice>
        )}
        {error === null ? null : <Problem error={error} />}
        {!hasText || reason !== null || error !== null ? null : (
          <Preview
            plan={plan}
            isAsking={isAsking}
            variables={variables}
            present={present}
            onKind={(name, kind) => setKinds(new Map([...kinds, [name, kind]]))}
          />
        )}
      </FormBox>
    </Page>
  );
}

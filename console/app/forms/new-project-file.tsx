/** The configuration of a new project beside its fields: as it is in the repository, or as the fields make it. */
import { Pencil } from "lucide-react";
import { lazy, Suspense } from "react";
import { configOf, type ProjectValues } from "../api/new-project.ts";
import { tellError, tellFault, tellFilePlace } from "../api/problem.ts";
import type { Form } from "../components/form.tsx";
import { Notice } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Fine, Row, Skeleton } from "../ui/layout.tsx";
import css from "./new-project.module.css";
import type { Detected } from "./new-project-settings.tsx";

const ConfigEditor = lazy(async () => ({
  default: (await import("../components/config-editor.tsx")).ConfigEditor,
}));

type Props = { readonly form: Form<ProjectValues>; readonly detected: Detected };

export function ProjectFile({ form, detected }: Props) {
  const { configType, isText } = form.values;
  return (
    <section className={css["side"]} aria-label="Configuration file">
      {configType === "iac" ? (
        <InRepository path={form.values.configFilePath} branch={form.values.branch} detected={detected} />
      ) : !isText ? (
        <FromFields form={form} />
      ) : (
        <Suspense fallback={<Skeleton lines={6} label="Loading the editor" />}>
          <ConfigEditor
            label="slipway.json"
            {...form.field("text", "/config")}
            faults={form.error === null ? [] : tellError(form.error).faults}
          />
        </Suspense>
      )}
    </section>
  );
}

function FromFields({ form }: Pick<Props, "form">) {
  const json = JSON.stringify(configOf(form.values), null, 2);
  return (
    <>
      <div className={css["head"]}>
        <h2>slipway.json</h2>
        <Row>
          <CopyButton text={json} what="the configuration" label="Copy" />
          <Button look="plain" onClick={() => form.set({ isText: true, text: json })}>
            <Icon of={Pencil} size={14} /> Edit as text
          </Button>
        </Row>
      </div>
      <pre className={css["file"]} tabIndex={0}>
        {json}
      </pre>
      <Fine>
        As text you can add environments, variables and more services. Committed to the repository as
        slipway.json, it changes with the code.
      </Fine>
    </>
  );
}

function InRepository({
  path,
  branch,
  detected: { data },
}: {
  readonly path: string;
  readonly branch: string;
  readonly detected: Detected;
}) {
  const head = (
    <div className={css["head"]}>
      <h2>{path}</h2>
    </div>
  );
  const file = data?.configFile;
  if (data === undefined || (file !== null && file !== undefined && file.path !== path)) return head;
  if (file === null || file === undefined)
    return (
      <>
        {head}
        <Notice title={`The branch ${branch} has no slipway.json`}>
          <p>Choose “Entered here”, or add the file to the repository.</p>
        </Notice>
      </>
    );
  return (
    <>
      {head}
      {file.isValid ? null : (
        <Notice isBad title="The file cannot be used as it is">
          {file.faults.length === 0 ? <p>{file.problem}</p> : null}
          <ul>
            {file.faults.map((fault) => (
              <li key={`${fault.path} ${fault.code}`}>
                <code>{tellFilePlace(fault.path)}</code> {tellFault(fault)}
              </li>
            ))}
          </ul>
          <p>Correct it in the repository and push, or choose “Entered here”.</p>
        </Notice>
      )}
      {file.config === null ? null : (
        <pre className={css["file"]} tabIndex={0}>
          {JSON.stringify(file.config, null, 2)}
        </pre>
      )}
    </>
  );
}

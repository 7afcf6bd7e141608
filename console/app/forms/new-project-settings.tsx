/** How a new project is built and served: as its repository shows, and as the user changes it. */
import type { FrameworkDetection } from "../../../sdk/src/generated/types.ts";
import { POINTERS, type ProjectValues } from "../api/new-project.ts";
import { REGIONS } from "../api/regions.ts";
import type { Form } from "../components/form.tsx";
import { Problem } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Badge, Fine, Quiet } from "../ui/layout.tsx";
import { ImportFlightcontrol } from "./import-flightcontrol.tsx";
import css from "./new-project.module.css";

export type Detected = {
  readonly data: FrameworkDetection | undefined;
  readonly error: Error | null;
  /** Whether there is a repository that the user may have read. */
  readonly isWanted: boolean;
};

type Props = { readonly form: Form<ProjectValues>; readonly detected: Detected };

export function ProjectSettings({ form, detected }: Props) {
  const { configType, isText } = form.values;
  return (
    <section className={css["settings"]} aria-label="Settings">
      <Found {...detected} />
      <SelectField
        label="Configuration"
        {...form.field("configType")}
        options={[
          ["iac", "A file in the repository"],
          ["gui", "Entered here"],
        ]}
        hint={
          configType === "iac"
            ? "Changes of the file take effect with the next deployment."
            : "You can change it later in the settings of the project."
        }
      />
      <ImportFlightcontrol
        // The dialog begins with the file of the repository that was chosen last.
        key={detected.data?.commitHash ?? ""}
        found={detected.data?.flightcontrolFile ?? null}
        onUse={(text) => form.set({ configType: "gui", isText: true, text })}
      />
      {configType === "iac" ? (
        <TextField label="File" {...form.field("configFilePath")} />
      ) : !isText ? (
        <ServiceFields form={form} />
      ) : (
        <div>
          <p>The settings are edited as text.</p>
          <Button onClick={() => form.set({ isText: false, text: "" })}>
            Discard the text and use fields
          </Button>
        </div>
      )}
    </section>
  );
}

function ServiceFields({ form }: Pick<Props, "form">) {
  return (
    <>
      <SelectField
        label="What it is"
        {...form.field("serviceType", POINTERS.serviceType)}
        options={[
          ["static", "A site: files that are served"],
          ["web", "A server that answers requests"],
        ]}
      />
      <TextField
        label="Build command"
        isOptional
        {...form.field("buildCommand", POINTERS.buildCommand)}
        placeholder="npm ci && npm run build"
      />
      {form.values.serviceType === "static" ? (
        <TextField
          label="Output folder"
          hint="The folder with the files after the build; a dot for the root of the repository."
          {...form.field("outputDirectory", POINTERS.outputDirectory)}
          placeholder="dist"
        />
      ) : (
        <div className={css["pair"]}>
          <TextField
            label="Start command"
            {...form.field("startCommand", POINTERS.startCommand)}
            placeholder="npm start"
          />
          <TextField label="Port" inputMode="numeric" {...form.field("port", POINTERS.port)} />
        </div>
      )}
      <div className={css["pair"]}>
        <SelectField label="Region" {...form.field("region", POINTERS.region)} options={REGIONS} />
        <SelectField
          label="Deploy"
          {...form.field("trigger", POINTERS.trigger)}
          options={[
            ["manual", "By hand"],
            ["push", "When the branch is pushed"],
          ]}
        />
      </div>
    </>
  );
}

/** What the repository shows. It keeps its room while it is read. */
function Found({ data, error, isWanted }: Detected) {
  if (error !== null) return <Problem error={error} />;
  return (
    <div className={css["detected"]} role="status" aria-busy={isWanted && data === undefined}>
      {!isWanted ? (
        <Quiet>Choose a repository to begin.</Quiet>
      ) : data === undefined ? (
        <Badge tone="busy">Looking at the repository</Badge>
      ) : (
        <Detection of={data} />
      )}
    </div>
  );
}

function Detection({
  of: { framework, reasons, hints, configFile, flightcontrolFile },
}: {
  readonly of: FrameworkDetection;
}) {
  if (configFile?.isValid === true)
    return (
      <>
        <Badge tone="good">{configFile.path} found</Badge>
        <Fine>It describes the environments and services of the project.</Fine>
      </>
    );
  return (
    <>
      {configFile === null ? null : <Badge tone="bad">{configFile.path} has faults</Badge>}
      {flightcontrolFile === null ? null : (
        <Badge tone={flightcontrolFile.imported === null ? "bad" : "good"}>
          {flightcontrolFile.path} found
        </Badge>
      )}
      <Badge tone={framework === null ? "todo" : "good"}>
        {framework === null ? "Framework not recognized" : framework.name}
      </Badge>
      <Fine>{reasons.join(" ")}</Fine>
      {hints.length === 0 ? null : (
        <ul className={css["hints"]}>
          {hints.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
        </ul>
      )}
    </>
  );
}

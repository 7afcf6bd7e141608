/** Asks for the service that domains are to lead to. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readAll, useLater } from "../api/query.ts";
import { isPublic } from "../api/service-words.ts";
import { LinkButton } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { ComboField } from "../ui/field.tsx";
import { Skeleton } from "../ui/layout.tsx";

export function AddDomains({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useLater(readAll("projects", "list", {}));
  const [chosen, setChosen] = useState<string | null>(null);
  const projects = data?.projects ?? [];
  const projectId = chosen ?? (projects.length === 1 ? (projects[0]?.id ?? "") : "");
  return (
    <Dialog title="Add domains" onClose={onClose}>
      {error === null ? null : <Problem error={error} />}
      {data === undefined && error === null ? <Skeleton lines={2} label="Loading projects" /> : null}
      {data !== undefined && projects.length === 0 ? (
        <>
          <p>A domain leads to a service, and services belong to projects. Create the first project.</p>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <LinkButton look="primary" to={paths.newProject()}>
              New project
            </LinkButton>
          </DialogActions>
        </>
      ) : null}
      {projects.length === 0 ? null : (
        <>
          <p>Choose the service that the names are to lead to.</p>
          <ComboField
            label="Project"
            name="project"
            options={projects.map(({ id, name }) => ({ value: id, label: name }))}
            value={projectId}
            onChange={setChosen}
            fault={null}
          />
          <Services key={projectId} projectId={projectId} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

function Services({ projectId, onClose }: { readonly projectId: string; readonly onClose: () => void }) {
  if (projectId === "")
    return (
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabledReason="Choose a project first.">
          Continue
        </Button>
      </DialogActions>
    );
  return <ServiceOf projectId={projectId} onClose={onClose} />;
}

function ServiceOf({ projectId, onClose }: { readonly projectId: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const services = useLater(readAll("services", "listOfProject", projectId, {}));
  const environments = useLater(readAll("environments", "list", projectId, {}));
  const [chosen, setChosen] = useState<string | null>(null);
  const names = new Map(environments.data?.environments.map(({ id, name }) => [id, name]));
  // Visitors reach no other service, so no name can lead to it.
  const all = (services.data?.services ?? []).filter((one) => isPublic(one) && one.type !== "previews");
  const serviceId = chosen ?? (all.length === 1 ? (all[0]?.id ?? "") : "");
  const error = services.error ?? environments.error;
  if (error !== null) return <Problem error={error} />;
  if (services.data === undefined || environments.data === undefined)
    return <Skeleton lines={2} label="Loading services" />;
  return (
    <>
      {all.length === 0 ? (
        <p>This project has no service that takes requests.</p>
      ) : (
        <ComboField
          label="Service"
          name="service"
          options={all.map(({ id, name, environmentId }) => ({
            value: id,
            label: `${name} in ${names.get(environmentId) ?? "another environment"}`,
          }))}
          value={serviceId}
          onChange={setChosen}
          fault={null}
        />
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          disabledReason={serviceId === "" ? "Choose a service first." : null}
          onClick={() => void navigate({ to: paths.importDomains(serviceId) })}
        >
          Import a list
        </Button>
        <Button
          look="primary"
          disabledReason={serviceId === "" ? "Choose a service first." : null}
          onClick={() => void navigate({ to: paths.newDomains(serviceId) })}
        >
          Continue
        </Button>
      </DialogActions>
    </>
  );
}

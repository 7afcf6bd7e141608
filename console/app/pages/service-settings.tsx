/** How a service is configured, and where that is changed. */
import { useParams } from "@tanstack/react-router";
import { read, useRead } from "../api/query.ts";
import { tellServiceType, tellSettings } from "../api/service-words.ts";
import { Link } from "../components/link.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { paths } from "../paths.ts";
import { CopyableId } from "../ui/copy.tsx";
import { Facts, Section } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

export function ServiceSettingsPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/settings" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  return (
    <ServiceFrame serviceId={serviceId}>
      <p>
        {project.configType === "iac" ? (
          <>
            They are in <code>{project.configFilePath}</code> on the branch{" "}
            <code>{project.configFileBranch}</code> of <code>{project.repoUrl}</code>. Change them there, and
            deploy.
          </>
        ) : (
          <>
            They are part of the project's configuration, which is changed in the{" "}
            <Link to={paths.projectSettings(project.id)}>settings of {project.name}</Link>. A service gets
            them with its next deployment.
          </>
        )}
      </p>
      <Section title="Settings">
        <Facts of={[["Kind", tellServiceType(service.type)], ...tellSettings(service)]} />
      </Section>
      <Section title="Identity">
        <Facts
          of={[
            ["Id in the configuration", service.configId],
            ["Id", <CopyableId key="id" text={service.id} what="the id" />],
            ["Created", <When key="created" at={service.createdAt} />],
            ["Changed", <When key="changed" at={service.updatedAt} />],
          ]}
        />
      </Section>
    </ServiceFrame>
  );
}

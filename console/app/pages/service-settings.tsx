/** How a service is configured, and where that is changed. */
import { useParams } from "@tanstack/react-router";
import { read, useRead } from "../api/query.ts";
import { formatServiceType, formatSettings } from "../api/service-words.ts";
import { Link } from "../components/link.tsx";
import { ServiceFrame } from "../components/service-frame.tsx";
import { paths } from "../paths.ts";
import { Facts, Fine, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";

export function ServiceSettingsPage() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/settings" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  return (
    <ServiceFrame serviceId={serviceId}>
      <Stack>
        <p>
          {project.configType === "iac" ? (
            <>
              The settings of a service are in <code>{project.configFilePath}</code> on the branch{" "}
              <code>{project.configFileBranch}</code> of the repository. Change them there, and deploy.
            </>
          ) : (
            <>
              The settings of a service are part of the project's configuration. Change them in the{" "}
              <Link to={paths.projectSettings(project.id)}>settings of {project.name}</Link>, and deploy.
            </>
          )}
        </p>
        <Facts of={[["Type", formatServiceType(service.type)], ...formatSettings(service)]} />
        <Fine>
          Created <When at={service.createdAt} />, changed <When at={service.updatedAt} />.
        </Fine>
      </Stack>
    </ServiceFrame>
  );
}

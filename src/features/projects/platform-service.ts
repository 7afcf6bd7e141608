import type { PlatformService } from "../../cloud/platform.ts";
import type { Environment } from "./project.ts";

/** A service as the platform knows it. Pure. */
export function platformServiceOf(
  {
    id: environmentId,
    region,
    templateId,
    isFork,
  }: Pick<Environment, "id" | "region" | "templateId" | "isFork">,
  { serviceId }: { readonly serviceId: string },
): PlatformService {
  if (templateId === null) return { serviceId, environmentId, region };
  // The previews of a template share its network, which no other environment uses.
  const preview = { serviceId, environmentId, region, networkId: templateId };
  return isFork ? { ...preview, isFork } : { ...preview, templateId };
}

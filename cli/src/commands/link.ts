import { cwd } from "node:process";
import { findEnvironment, findProject, findService } from "../find/scope.ts";
import { UsageError } from "../output/failure.ts";
import { findLink, LINK_FILE, removeLink, writeLink } from "../session/link-file.ts";
import type { Handler } from "../table/command.ts";

export const link: Handler = async (context, input) => {
  const { output } = context;
  if (input.isSet("remove")) {
    const found = await findLink(cwd());
    if (found === null) throw new UsageError("Neither this folder nor one above it is linked.");
    await removeLink(found.file);
    output.item({ file: found.file, isRemoved: true }, [["removed", found.file]]);
    return;
  }
  const { url } = await context.connection();
  const project = await findProject(context, input.text("project"));
  const hasService = input.text("service") !== undefined;
  const hasEnvironment = hasService || input.text("environment") !== undefined;
  const service = hasService ? await findService(context, input) : null;
  const environment = service === null && hasEnvironment ? await findEnvironment(context, input) : null;
  const environmentId = service?.environmentId ?? environment?.id;
  const made = {
    url,
    projectId: project.id,
    ...(environmentId === undefined ? {} : { environmentId }),
    ...(service === null ? {} : { serviceId: service.id }),
  };
  const file = await writeLink(cwd(), made);
  output.progress(`Commands here and below mean project ${project.name}. ${LINK_FILE} can be committed.`);
  output.item({ file, ...made }, [["file", file], ...Object.entries(made)]);
};

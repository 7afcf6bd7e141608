import { Type } from "typebox";
import { Id } from "../../../http/schemas.ts";
import { LeftInAccountSchema, viewLeftInAccount } from "../../cloud-accounts/views.ts";
import type { AbandonedProject } from "./delete-project.ts";

export const AbandonedProjectSchema = Type.Object(
  { id: Id("proj", "Of the project that is gone."), leftInAccount: LeftInAccountSchema },
  { title: "AbandonedProject", description: "What giving up a project left behind." },
);

export function viewAbandonedProject({ id, left }: AbandonedProject) {
  return { id, leftInAccount: viewLeftInAccount(left) };
}

import { Type } from "typebox";
import { Id } from "../../../http/schemas.ts";
import { LeftInAccountSchema, viewLeftInAccount } from "../../cloud-accounts/views.ts";
import type { AbandonedProject } from "./delete-project.ts";

export const AbandonedProjectSchema = Type.Object(
  { id: Id("proj", "Id of the deleted project."), leftInAccount: LeftInAccountSchema },
  { title: "AbandonedProject", description: "What an abandoned project left behind." },
);

export function viewAbandonedProject({ id, left }: AbandonedProject) {
  return { id, leftInAccount: viewLeftInAccount(left) };
}
